"""Why a document is not taken or not found."""

from palabre.kernel.errors import UserError


class NothingToIndexError(UserError):
    """There are no words in the document `data["title"]`."""

    code = "nothing_to_index"


class DocumentTooLongError(UserError):
    """The document `data["title"]` has more than `data["limit"]` characters."""

    code = "document_too_long"


class UnknownDocumentError(UserError):
    """No document has the id, title or source `data["name"]`."""

    code = "unknown_document"


class AmbiguousDocumentError(UserError):
    """Several documents are called `data["name"]`: `data["ids"]`."""

    code = "ambiguous_document"


class DocumentGoneError(UserError):
    """The document `data["title"]` was removed or replaced while it was being indexed."""

    code = "document_gone"


class ExamEmptyError(UserError):
    """There are no documents to make questions of."""

    code = "exam_empty"
