"""Who changed what, and when: a book in which nothing can be changed unseen."""
