"""What the command line, the configuration and the environment say where nobody says otherwise."""
