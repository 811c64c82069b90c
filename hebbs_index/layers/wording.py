"""What the wording of a text gives away, without a model.

Whether a text states anything at all, whether it names what it speaks of, whether it is
only a fragment, and whether it is a label with a value. Statement keys depend on these answers, so
they are rules over words that can be read here and change only with `KEY_VERSION`.
"""

from __future__ import annotations

import re

from hebbs_index.ids import fold_entity
from hebbs_index.layers.dates import stated_date
from hebbs_index.layers.vocabulary import vocabulary

_URL = re.compile(r"<?(?:https?|ftp|mailto):\S+|www\.\S+|\S+@\S+\.\w+", re.IGNORECASE)
_TEMPLATE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|<%.*?%>|\$\{[^}]*\}|\[\[?_?TOC_?\]?\]", re.DOTALL)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_NAME = re.compile(r"\d|[A-Z]|[^\W\d_]_[^\W\d_]|\w\.\w")
_PLACEHOLDER = re.compile(
    r"^[\W_]*(?:tbd|tba|tbc|todo|fixme|wip|xxx+|n/?a|none yet|to be (?:done|defined|determined|"
    r"decided|announced|written|confirmed|completed|added)|coming soon|work in progress|"
    r"placeholder|under construction|lorem ipsum\b.*|(?:todo|fixme|tbd)\b[:\s(].*|"
    r"(?:back to )?(?:top|contents|table of contents)|(?:end|edit) of file)[\W_]*$",
    re.IGNORECASE | re.DOTALL,
)

_VERBS = vocabulary(
    "is are was were be been am has have had do does did can could will would shall should may "
    "might must cannot can't won't don't doesn't didn't isn't aren't wasn't weren't shouldn't "
    "mustn't needs need requires require means mean uses use runs run allows allow supports "
    "support provides provide contains contain includes include returns return defaults default "
    "takes take makes make gets get lives live works work becomes become remains remain goes go "
    "it's they're we're you're there's that's we'll you'll i'm we've you've"
)
# Words that open a statement whose subject stands somewhere before it.
_PRONOUNS = vocabulary(
    "it its it's it'll they they're they'll them their theirs he he's she she's him her hers his "
    "this these that those such both neither either one ones others another some many most all "
    "none each same here there then also otherwise however therefore thus hence instead so but and "
    "or nor yet because which who whose whom where"
)
# Verbs and the like that open a statement with no subject at all.
_SUBJECTLESS = vocabulary(
    "is are was were be been has have had does did do can could will would shall should may might "
    "must cannot defaults returns requires needs uses runs allows supports provides contains "
    "includes takes accepts means denotes specifies indicates determines describes defines "
    "controls enables disables sets gets creates deletes removes adds lists shows prints reads "
    "writes sends receives raises throws applies represents refers holds keeps stores gives makes "
    "starts stops ends works lives depends belongs consists comes goes expires lasts costs equals "
    "exceeds used required optional deprecated removed added replaced renamed supported "
    "unsupported enabled disabled available unavailable recommended default defaulted set moved "
    "only not never always up at least maximum minimum max min"
)
# "The default is 30.": a subject, but one that many things have.
_SHARED_NOUNS = vocabulary(
    "default defaults value values limit limits following above below latter former option options "
    "flag setting settings parameter field fields command file script section document page policy "
    "example name type format result output input argument function method class module feature "
    "team project group process system service tool change changes date deadline version status "
    "owner price cost fee size number count list table goal purpose rationale reason idea problem "
    "issue solution approach proposal decision first second third last next other rest answer "
    "maximum minimum timeout duration meeting rule rules role author authors"
)
_GENERIC_HEADINGS = vocabulary(
    "overview introduction intro summary description details notes note general usage about "
    "background context abstract example examples faq misc miscellaneous other more content "
    "contents readme welcome information info basics the preface discussion rationale "
    "specification motivation consequences decision conclusion definition definitions terms "
    "meeting agenda minutes questions table of"
) | {"the basics", "meeting notes", "table of contents", "release notes", "more information"}

_NUMBERING = re.compile(r"^(?:\d+(?:\.\d+)*[.)]|§+)\s+(?=\S)")

_ASIDE_LABELS = vocabulary(
    "note notes nb n.b warning caution important tip hint info attention danger remember update "
    "edit ps p.s pro please caveat heads up disclaimer tl;dr tldr"
) | {"please note", "heads up", "pro tip", "side note", "important note"}
_EXAMPLE_LABELS = frozenset({"example", "examples", "for example", "e.g", "for instance"})
_LABEL = re.compile(r"^(?P<label>[^:]{1,48}?)\s?(?::|：)\s+(?=\S)")
_DASHED = re.compile(r"^(?P<label>[^:]{1,48}?)\s+[-–—]{1,2}\s+(?=\S)")


def states_nothing(text: str, *, joined: bool = False) -> bool:
    """Whether a text is a placeholder, template, address or too short to state anything.

    `joined` tells that a lead-in stands before it, so that a single word can be an answer.
    """
    if _PLACEHOLDER.match(text):
        return True
    rest = _URL.sub(" ", _TEMPLATE.sub(" ", text))
    words = _WORD.findall(rest)
    if not words or (not joined and not any(char.isalpha() for char in rest)):
        return True
    if rest != text and len(words) < 3:
        return not joined
    return len(words) < 2 and not (joined and (_NAME.search(rest) or len(words[0]) > 2))


def is_question(text: str) -> bool:
    """Whether a sentence asks."""
    return text.rstrip("\"'”’)*_ ").endswith(("?", "？"))


def is_quoted(text: str) -> bool:
    """Whether a whole sentence stands in quotation marks: someone else's words."""
    return len(text) > 2 and (
        (text[0] == "“" and "”" in text[-2:] and text.count("“") == 1)
        or (text[0] == '"' and '"' in text[-2:] and text.count('"') == 2)
    )


def names_no_subject(text: str) -> bool:
    """Whether a text opens with a pronoun, a verb or a noun that many things have."""
    words = _WORD.findall(text[:80])
    if not words:
        return True
    first = words[0].casefold().replace("’", "'")
    if first in _PRONOUNS or first in _SUBJECTLESS:
        return True
    if first in ("the", "a", "an", "our", "your") and len(words) > 1:
        return words[1].casefold() in _SHARED_NOUNS
    return False


def is_fragment(text: str) -> bool:
    """Whether a text is no whole sentence: a small start, or no full stop and no common verb."""
    if text[:1].islower() and not _looks_like_identifier(text.split(" ", 1)[0]):
        return True
    if text.rstrip("\"'”’)*_ ")[-1:] in (".", "!", "?"):
        return len(text.split()) < 3
    return lacks_verb(text)


def lacks_verb(text: str) -> bool:
    """Whether none of the most common verbs is in a text."""
    return not any(word.casefold().replace("’", "'") in _VERBS for word in _WORD.findall(text))


def _looks_like_identifier(word: str) -> bool:
    return bool(re.search(r"\d|_|\w[./-]\w|[a-z][A-Z]", word))


def speaking_heading(heading_path: tuple[str, ...]) -> str:
    """The innermost heading that names something; "Overview" and dates do not."""
    for heading in reversed(heading_path):
        name = _NUMBERING.sub("", heading.strip().rstrip(":."))
        folded = fold_entity(name)
        if folded and folded not in _GENERIC_HEADINGS and not _is_date(name):
            return name
    return ""


def _is_date(name: str) -> bool:
    return any(map(str.isdigit, name)) and len(name.split()) <= 4 and bool(stated_date(name))


def label_end(text: str, marked: tuple[tuple[int, int], ...] = ()) -> int:
    """Where the value begins if a text is `label: value` or `label - value`, else 0.

    `marked` are ranges in bold or code; a label that is marked may be longer and may be
    set off by a dash.
    """
    match = _LABEL.match(text)
    if match is None:
        match = _DASHED.match(text)
        if match is None or not _covered(match.span("label"), marked):
            return 0
    label = match["label"].strip()
    if _covered(match.span("label"), marked):
        return match.end()
    words = label.casefold().split()
    plain = len(words) <= 4 and not any(word in _VERBS for word in words)
    opens = bool(words) and (words[0] not in _PRONOUNS) and not re.search(r"[.,;!?]", label)
    return match.end() if plain and opens else 0


def aside_kind(label: str) -> str:
    """What a label like "Note:" makes of what follows: aside, example or empty."""
    folded = label.strip(" :*_").casefold().rstrip(".")
    if folded in _ASIDE_LABELS:
        return "aside"
    return "example" if folded in _EXAMPLE_LABELS else ""


def _covered(span: tuple[int, int], marked: tuple[tuple[int, int], ...]) -> bool:
    return any(start <= span[0] and span[1] <= end + 1 for start, end in marked)
