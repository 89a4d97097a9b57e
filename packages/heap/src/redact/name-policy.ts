import { isPlaceholder } from './placeholder.ts';

/**
 * Which names of a snapshot are structure and which are content.
 *
 * Structure is what the programmer wrote: constructor and function names, variables, V8's own edge names, and property
 * names that code mentions. Content is what the program received: string values, and the keys of objects that are used as
 * dictionaries, which V8 writes as property names too. A property name counts as structure when a compiled function refers
 * to it, or when it stands on an instance of a class and does not look like an id.
 *
 * The rules see a name only through its traits, so that the streaming redactor, which meets the text last, and the
 * analysis, which meets it first, decide alike.
 */
const trait = {
  identifier: 1,
  numbered: 2,
  symbol: 4,
  structural: 8,
  ephemeron: 16,
  plainWords: 32,
  placeholder: 64,
  allowed: 128,
  event: 256,
} as const;

/** Names of events of Node.js and the web platform: a listener list is keyed by them, and they tell nothing about content. */
const eventNames: ReadonlySet<string> = new Set(
  `abort aborted beforeExit close connect connection data disconnect drain end error exit finish listening lookup message
messageerror newListener open pause pipe prefinish ready readable rejectionHandled removeListener request resume response
secureConnect session stream SIGINT SIGTERM SIGHUP timeout tlsClientError uncaughtException uncaughtExceptionMonitor
unhandledRejection unpipe upgrade warning worker`.split(/\s+/),
);

/** Property names that are always structure: those of the language, of Node.js and of Plimsoll's own scope markers. */
const builtInNames: ReadonlySet<string> = new Set(
  `__proto__ constructor prototype length name message stack cause code errors size byteLength buffer get set value done next
return throw then catch finally resolve reject promise signal reason aborted listener listeners callback handler once passive
_events _eventsCount _maxListeners _idleNext _idlePrev _onTimeout _timerArgs _readableState _writableState _httpMessage
domain socket server parser req res headers exports parent children paths filename loaded id path state roots default module
table weak deps version options config data content role type text input output messages history session sessions cache
handlers queue buffer chunks items entries keys values map list index start end root error result`.split(
    /\s+/,
  ),
);

/** Traits are below this number. */
export const traitValues = 512;

/** Texts that stay even where they are no names. */
export const knownTexts: Iterable<string> = eventNames;

/** The traits of a name; `extra` are the names that the caller declares to be structure. */
export function traitsOf(name: string, extra?: ReadonlySet<string>): number {
  let traits = 0;
  if (/^(?:[gs]et )?[#$_\p{L}][$\p{L}\d_]{0,63}$/u.test(name)) traits |= trait.identifier;
  if (/\d{4}|[0-9a-f]{16}/i.test(name)) traits |= trait.numbered;
  if (/^(?:[gs]et )?<symbol ?[\w$.:@/ -]{0,60}>$/.test(name)) traits |= trait.symbol;
  if (ephemeron.test(name)) traits |= trait.ephemeron;
  else if (isStructuralText(name)) traits |= trait.structural;
  if (/^[a-z ()]+$/.test(name)) traits |= trait.plainWords;
  if (isPlaceholder(name)) traits |= trait.placeholder;
  if (builtInNames.has(name.replace(/^[gs]et /, '')) || extra?.has(name) === true) traits |= trait.allowed;
  if (eventNames.has(name)) traits |= trait.event;
  return traits;
}

function isStructuralText(name: string): boolean {
  return (
    name.length <= 200 && !name.startsWith('data:') && /^[\p{L}\d_$#.<>()[\] :@/\\,&*|+%~;'-]*$/u.test(name)
  );
}

/** V8's edge of a WeakMap entry; its name quotes the names of key and value. */
const ephemeron = /part of key .* pair in WeakMap/s;

/** Such an edge name without what it quotes; the object ids that say which half of the pair it is stay. */
export function ephemeronWithoutNames(name: string): string {
  const ids = idsIn(name);
  const [key = '0', value = '0'] = ids;
  const table = ids.at(-1) ?? '0';
  const index = name.slice(0, endOfDigits(name, 0)) || '0';
  return `${index} / part of key (_ @${key}) -> value (_ @${value}) pair in WeakMap (table @${table})`;
}

/** The numbers that stand between `@` and `)`. A large heap has tens of thousands of such names. */
function idsIn(name: string): string[] {
  const ids: string[] = [];
  for (let at = name.indexOf('@'); at >= 0; at = name.indexOf('@', at + 1)) {
    const end = endOfDigits(name, at + 1);
    if (end > at + 1 && name.charCodeAt(end) === 41) ids.push(name.slice(at + 1, end));
  }
  return ids;
}

function endOfDigits(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) at++;
  return at;
}

/** True when the name of a node of this type is structure. */
export function isStructuralNode(type: string, traits: number): boolean {
  if (traits & trait.placeholder) return true;
  switch (type) {
    case 'string':
      return (traits & trait.event) !== 0;
    case 'regexp':
      return false;
    case 'concatenated string':
    case 'sliced string':
    case 'number':
    case 'bigint':
      return (traits & trait.plainWords) !== 0;
    case 'symbol':
      return (
        (traits & trait.symbol) !== 0 ||
        ((traits & trait.identifier) !== 0 && (traits & trait.numbered) === 0)
      );
    default:
      return (traits & trait.structural) !== 0;
  }
}

/** Owners with more edges than this are taken for dictionaries whatever their class. */
export const dictionaryEdges = 120;

/** True when the name of an edge is structure. `plainOwner`: the owner is an `Object` or has more than `dictionaryEdges` edges. */
export function isStructuralEdge(
  edgeType: string,
  traits: number,
  plainOwner: boolean,
  namedInCode: boolean,
): boolean {
  if (traits & (trait.placeholder | trait.allowed)) return true;
  if (edgeType === 'property') {
    if (traits & trait.symbol) return true;
    if (namedInCode) return (traits & trait.structural) !== 0;
    return !plainOwner && (traits & trait.identifier) !== 0 && (traits & trait.numbered) === 0;
  }
  if (edgeType === 'context') return (traits & trait.identifier) !== 0;
  return (traits & trait.structural) !== 0;
}

/** True for an edge name that quotes other names and has to be rewritten instead of replaced. */
export function quotesNames(traits: number): boolean {
  return (traits & trait.ephemeron) !== 0;
}
