"""How the work of linting grows with the size of what is linted, counted in steps."""
