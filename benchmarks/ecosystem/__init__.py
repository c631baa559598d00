"""What torchlint says about packages that many use, kept so that a change of its code shows what it changes."""
