import type { CompiledMessage } from 'icu-minify/format'

const accents: Record<string, string> = Object.fromEntries(
  [
    ...'aàbƀcçdðeéfƒgĝhĥiîjĵkķlļmɱnñoöpþqɋrŕsštţuûvṽwŵxẋyýzžAÀBƁCÇDÐEÉFƑGĜHĤIÎJĴKĶLĻMṀNÑOÖPÞQɊRŔSŠTŢUÛVṼWŴXẊYÝZŽ'.matchAll(
      /(.)(.)/gu,
    ),
  ].map(([, letter = '', accented = '']) => [letter, accented]),
)

const ACCENTED = new Set(Object.values(accents))

/**
 * English that is still readable but cannot be taken for English: with accents, in brackets, and 40 % longer. A text without them is
 * not in the catalogs; one that is cut off does not leave other languages enough room.
 */
export function pseudo(message: CompiledMessage): CompiledMessage {
  const inside = accented(message)
  const padding = '~'.repeat(Math.ceil(lettersIn(inside) * 0.4))
  if (typeof inside === 'string') return `[${inside}${padding}]`
  if (inside.length === 1) return ['[', ...inside, `${padding}]`] as CompiledMessage
  // In the first and the last text: another one would be another part of a prerendered message.
  const [first, last] = [inside[0], inside.at(-1)]
  return [
    ...(typeof first === 'string' ? [`[${first}`] : ['[', first]),
    ...inside.slice(1, -1),
    ...(typeof last === 'string' ? [`${last}${padding}]`] : [last, `${padding}]`]),
  ] as CompiledMessage
}

function accented<Node>(node: Node): Node {
  if (typeof node === 'string') return [...node].map((letter) => accents[letter] ?? letter).join('') as Node
  if (!Array.isArray(node)) return node
  return node.map((child: unknown) => (Array.isArray(child) ? inArgument(child) : accented(child))) as Node
}

/** `[name]`, `[name, type, options or style]` or `[tag, …content]`: names stay as they are. */
function inArgument([name, ...rest]: unknown[]): unknown[] {
  const [type, options] = rest
  if (type === SELECT || type === PLURAL || type === ORDINAL)
    return [
      name,
      type,
      Object.fromEntries(Object.entries(options as object).map(([key, value]) => [key, accented(value)])),
    ]
  if (typeof type === 'number' && type !== POUND) return [name, ...rest]
  return [name, ...accented(rest)]
}

/** Of several cases, the longest one counts. Names of arguments are without accents. */
function lettersIn(node: unknown): number {
  if (typeof node === 'string') return [...node].filter((letter) => ACCENTED.has(letter)).length
  if (Array.isArray(node)) return node.reduce<number>((sum, child) => sum + lettersIn(child), 0)
  return typeof node === 'object' && node !== null ? Math.max(0, ...Object.values(node).map(lettersIn)) : 0
}

const [POUND, SELECT, PLURAL, ORDINAL] = [0, 1, 2, 3]
