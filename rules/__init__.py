"""The rules that ship with torchlint, one folder a subject, one module a rule."""
