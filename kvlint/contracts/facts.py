# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The facts of a release: classes, members, managers, readers. No source text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import cache, partial
from typing import Any, cast, get_args, get_origin, get_type_hints

from kvlint.contracts.making import Built, MergeFacts, Retyped, UniformFacts
from kvlint.contracts.making import Spot as Spot
from kvlint.errors import KvlintError

FORMAT = 1


@dataclass(frozen=True, slots=True)
class DecoratorFacts:
    """A decorator: its dotted name, and its keywords where they are literals."""

    name: str
    options: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ParameterFacts:
    """A parameter after ``self`` or ``cls``; annotation and default as text."""

    name: str
    kind: str
    annotation: str | None
    default: str | None


@dataclass(frozen=True, slots=True)
class FieldFacts:
    """An annotated name of a class body.

    Attributes:
        name: Its name.
        type: Its annotation as text.
        has_default: Whether a constructor call may leave it out.
        default: The default as text; of ``field(default=...)``, what is given.
        options: Other keywords of its ``field(...)``, such as ``kw_only``.
        spot: Where its name stands.
    """

    name: str
    type: str
    has_default: bool
    default: str | None
    options: Mapping[str, str]
    spot: Spot


@dataclass(frozen=True, slots=True)
class MemberFacts:
    """A method, property or attribute.

    Attributes:
        name: Its name.
        kind: ``method``, ``property``, ``classmethod``, ``staticmethod`` or
            ``attribute``.
        is_async: It is a coroutine.
        parameters: After the instance or class.
        returns: The return annotation as text.
        decorators: Dotted names.
        is_abstract: It asks for an override and answers nothing.
        only_raises: It does nothing but raise.
        constant: The literal that is all it answers.
        reads: Attributes that it reads off its instance.
        lets_self_out: Its instance is passed on whole.
        supers: Members that it asks of its base.
        replaced: Fields that the copy which it returns changes; None for no copy.
        sets: Attributes that it sets on its instance.
        compared: Attributes on which it insists that specs agree.
        gives_one: It gives one of the specs that its composite holds.
        spot: Where its name stands.
        derives: Fields that it and the functions that get its instance work out.
        fills: Those of them that are set only where they are None.
        derived_from: Attributes that they work them out of.
        merge: What it makes of several specs, if it does.
        sized_by: For a member that sizes a request, what its answer depends on:
            ``self.field``, ``super.member``, parameters, attributes of the
            configuration; ``*`` for what cannot be told.
        uniform: What it asks of specs that are to share a group, if it does and all
            that can be told.
    """

    name: str
    kind: str
    is_async: bool
    parameters: tuple[ParameterFacts, ...]
    returns: str | None
    decorators: tuple[str, ...]
    is_abstract: bool
    only_raises: bool
    constant: str | None
    reads: tuple[str, ...]
    lets_self_out: bool
    supers: tuple[str, ...]
    replaced: tuple[str, ...] | None
    sets: tuple[str, ...]
    compared: tuple[str, ...]
    gives_one: bool
    spot: Spot
    derives: tuple[str, ...] = ()
    fills: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()
    merge: MergeFacts | None = None
    sized_by: tuple[str, ...] = ()
    uniform: tuple[UniformFacts, ...] = ()


@dataclass(frozen=True, slots=True)
class ClassFacts:
    """A class.

    Attributes:
        name: Its name.
        module: Where it is defined.
        bases: Dotted names, as written.
        decorators: With their options, such as those of ``dataclass``.
        role: ``root``, ``spec``, ``composite``, ``beside`` (a dataclass beside them),
            or ``manager``.
        fields: In the order of the text.
        members: In the order of the text.
        spot: Where its name stands.
    """

    name: str
    module: str
    bases: tuple[str, ...]
    decorators: tuple[DecoratorFacts, ...]
    role: str
    fields: tuple[FieldFacts, ...]
    members: tuple[MemberFacts, ...]
    spot: Spot


@dataclass(frozen=True, slots=True)
class Registration:
    """A manager chosen for a spec class, and the class that groups are formed by.

    ``way`` is ``registry``, or ``map`` before vLLM 0.23.0.
    """

    spec: str
    manager: str
    uniform_base: str | None
    spot: Spot
    way: str = "registry"


@dataclass(frozen=True, slots=True)
class FactoryCall:
    """A call that constructs managers: the keywords that it always passes.

    Attributes:
        function: The function around it.
        keywords: In order.
        passes_more: It passes ``**kwargs`` on, so there may be others.
        spot: Where it stands.
        positionals: How many arguments it passes before them, without a name.
        sometimes: Keywords that it passes in some cases.
        is_open: It may pass keywords that nobody knows.
        takes: Parameters of the function, which it does not hand on.
        constructed: The class that it names; empty where one is looked up.
    """

    function: str
    keywords: tuple[str, ...]
    passes_more: bool
    spot: Spot
    positionals: int = 1
    sometimes: tuple[str, ...] = ()
    is_open: bool = False
    takes: tuple[str, ...] = ()
    constructed: str = ""


@dataclass(frozen=True, slots=True)
class Read:
    """A read of a member off a raw group spec."""

    member: str
    sees_composites: bool
    spot: Spot


@dataclass(frozen=True, slots=True)
class Producer:
    """A place that gives a spec's field a value.

    Attributes:
        field: The field.
        spot: Where it is given one.
        owner: The class whose field it is: a value counts if it is not that default.
    """

    field: str
    spot: Spot
    owner: str = ""


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """A module: its dotted name, and all names that it binds, also by imports."""

    name: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ContractFacts:
    """Everything kvlint knows of a release.

    Attributes:
        format: The version of this form.
        release: Such as ``0.27.1``.
        module: The root's module.
        imports: What names of the root's module come from: bound name to the dotted
            name behind it; names for type checkers alone begin with ``?``.
        module_imports: The same for other modules: for those of managers, and for
            those that import specs or managers, which others may import from there.
        classes: Spec classes and those beside them.
        managers: Their managers.
        registrations: Which manager serves which spec.
        factories: Calls that construct managers.
        reads: Reads off raw group specs.
        producers: Places that set a base field with a default.
        made_for_groups: Classes only ever constructed as a group's own spec.
        modules: The modules of specs and of managers.
        built: Where specs are constructed, and with which fields.
        retyped: Where all fields of a spec are copied into another class.
        probed: Methods that some code calls to see them fail an assertion.
    """

    format: int
    release: str
    module: str
    imports: Mapping[str, str]
    module_imports: Mapping[str, Mapping[str, str]]
    classes: tuple[ClassFacts, ...]
    managers: tuple[ClassFacts, ...]
    registrations: tuple[Registration, ...]
    factories: tuple[FactoryCall, ...]
    reads: tuple[Read, ...]
    producers: tuple[Producer, ...]
    made_for_groups: tuple[str, ...]
    modules: tuple[ModuleFacts, ...]
    built: tuple[Built, ...]
    retyped: tuple[Retyped, ...]
    probed: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Return the facts as text, the same for the same facts."""
        return json.dumps(asdict(self), indent=1, sort_keys=True) + "\n"


def from_json(text: str | bytes, origin: str) -> ContractFacts:
    """Return the facts that a text holds.

    Args:
        text: JSON, as ``to_json`` writes it.
        origin: What to call the text in an error.

    Raises:
        KvlintError: It is no contract, or one of another kvlint.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise KvlintError(f"{origin}: not JSON: {error}") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise KvlintError(
            f"{origin}: not a contract of format {FORMAT}; export it again"
        )
    try:
        return cast(ContractFacts, _reader(ContractFacts)(document))
    except KeyError as error:
        reason = f"{error} is missing"
    except TypeError as error:
        reason = str(error)
    raise KvlintError(f"{origin}: not a contract: {reason}; export it again")


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    """Return what turns a JSON value into a type."""
    arguments = [each for each in get_args(kind) if each is not type(None)]
    if is_dataclass(kind):
        return _object_reader(kind)
    if get_origin(kind) is tuple:
        item = _reader(arguments[0])
        return lambda value: tuple(map(item, _checked(list, value)))
    if get_origin(kind) is Mapping:
        return partial(_checked, dict)
    if len(arguments) == 1:
        inner = _reader(arguments[0])
        return lambda value: None if value is None else inner(value)
    return partial(_checked, kind)


def _object_reader(kind: Any) -> Callable[[Any], Any]:
    hints = get_type_hints(kind)
    parts = [(each.name, _reader(hints[each.name])) for each in fields(kind)]

    def read(value: Any) -> Any:
        _checked(dict, value)
        return kind(*[part(value[name]) for name, part in parts])

    return read


def _checked(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise TypeError(f"{kind.__name__} expected, {type(value).__name__} found")
    return value
