"""What personas can use besides words."""
