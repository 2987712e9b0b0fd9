import { formatMoney } from '#lib/format.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { ArgumentView, Money } from '#lib/schemas/approvals.ts'
import { requiredBy, targetOf } from './calls/object.ts'
import { isMasked } from './masked.ts'

export type Effect = { title: string; effectLabel: string; verb: string }

/** The amount among the arguments as a reviewer sees them; null if they don't have one, or it is masked. */
export function amountIn(rows: readonly ArgumentView[]): Money | null {
  // Requests of earlier versions may have two rows of one name, of which only one is the argument.
  const valueAt = (path: string) => {
    const [row, ...others] = rows.filter((one) => one.path === path)
    return others.length === 0 ? row?.value : undefined
  }
  const [amount, currency] = [valueAt('amount'), valueAt('currency')]
  if (typeof currency !== 'string' || formatMoney(amount, currency) === undefined) return null
  return { value: String(amount), currency }
}

const particles = new Set(['up', 'out', 'off', 'down', 'over', 'back', 'away'])

/**
 * What a tool call does, as a sentence of verb, object and target: "Issue refund of €4,200.00 for A-1001". `args` are
 * already masked, so titles contain nothing sensitive.
 */
export function describeEffect(toolTitle: string, args: JsonObject, inputSchema: JsonObject = {}): Effect {
  const words = toolTitle.replaceAll('_', ' ').trim().split(/\s+/)
  // "Look up order": the particle belongs to the verb, and the object must read well after "Approve".
  const verbWords = particles.has(words[1]?.toLowerCase() ?? '') ? 2 : 1
  const named = words.slice(0, verbWords).join(' ') || 'Run'
  const verb = named.charAt(0).toUpperCase() + named.slice(1)
  const object = words.slice(verbWords).join(' ').toLowerCase() || 'call'
  const money = formatMoney(args.amount, args.currency)
  const effectLabel = money === undefined ? object : `${object} of ${money}`
  return { verb, effectLabel, title: `${verb} ${effectLabel}${aboutWhat(args, inputSchema)}` }
}

function aboutWhat(args: JsonObject, inputSchema: JsonObject): string {
  const target = targetOf(args, requiredBy(inputSchema))
  if (target !== undefined) return ` for ${target}`
  const command = typeof args.command === 'string' ? args.command.trim() : ''
  // Titles are in mails and messages, where the rest of a command, which may contain a password, must not be.
  const [program = ''] = command.split(/\s/, 1)
  if (!/^[\w./-]{1,80}$/.test(program)) return ''
  return `: ${program}${program === command ? '' : ' …'}`
}

/**
 * Arguments as rows of path and value; a masked one shows its class and length. Every leaf has a row: nothing is cut, and no two rows have
 * the same path.
 */
export function argumentRows(value: JsonValue, path = ''): ArgumentView[] {
  if (isMasked(value)) return [{ path, masked: value.$masked }]
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((inner, index) => argumentRows(inner, `${path}[${index}]`))
  if (isJsonObject(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([key, inner]) => argumentRows(inner, pathOfMember(path, key)))
  return [{ path, value }]
}

/** `a.b`, or `a["b.c"]` for a key that could be read as a path. */
function pathOfMember(path: string, key: string): string {
  if (!/^[^.[\]"]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}

/** The argument that a path begins with: "a" of `a`, `a.b` and `a[0]`, "a.b" of `["a.b"][0]`. */
export function argumentOf(path: string): string {
  const quoted = /^\[("(?:[^"\\]|\\.)*")\]/.exec(path)?.[1]
  return quoted === undefined ? (path.split(/[.[]/, 1)[0] ?? path) : String(JSON.parse(quoted))
}
