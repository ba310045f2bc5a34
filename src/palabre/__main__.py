"""`python -m palabre`: the command line."""

from palabre.app.cli.main import main

main()
