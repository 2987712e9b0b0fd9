import type { z } from 'zod'
import { ApiError, type Issue, issuesInWords } from '#lib/errors.ts'
import { issueMessage, someOf } from '#lib/schemas/messages.ts'
import { flawAt, protoFlaw, tooDeep } from './json-budget.ts'
import { wireLimits } from './limits.ts'

/** Reported of one input; a list can have a wrong element at each of its places. */
const mostIssues = 50

/**
 * The input of an operation. Throws 400 for a value that can't be stored exactly, and `validation_failed` with all
 * issues.
 */
export function readInput<I>(schema: z.ZodType<I>, raw: unknown): I {
  requireExact(raw)
  const result = schema.safeParse(raw ?? {}, { error: issueMessage })
  if (result.success) return result.data
  const issues: Issue[] = result.error.issues.slice(0, mostIssues).map(({ path, message }) => ({
    path: path.map(String).join('.'),
    message,
  }))
  throw new ApiError('validation_failed', issuesInWords(issues), { issues })
}

/**
 * Throws `bad_request` with the path of a value that can't be stored unchanged and bound to a digest: PostgreSQL supports
 * neither U+0000 nor lone surrogates, and JSON.parse has already rounded whole numbers beyond 2^53 - 1 (JCS refuses them,
 * see lib/jcs.ts). Those of 10^21 or more are told by their text, see scanJson.
 */
export function requireExact(value: unknown): void {
  const flaw = flawIn(value, 0)
  if (flaw !== undefined) throw flawAt(flaw.path.toReversed().join('.'), flaw.what)
}

/** Whether requireExact accepts the value. */
export const isExact = (value: unknown): boolean => flawIn(value, 0) === undefined

/** Throws `bad_request` for a text from outside that is not part of an operation's input, such as a header. */
export function requireText(text: string, name: string): void {
  const what = textFlaw(text)
  if (what !== undefined) throw flawAt(name, what)
}

/** The part of a text that PostgreSQL can't store; undefined if there is none. */
export function textFlaw(text: string): string | undefined {
  if (text.includes('\u0000')) return 'the character U+0000'
  return text.isWellFormed() ? undefined : 'half of a surrogate pair, which is not a character'
}

/** `path` is innermost first: it is built only when a flaw is returned, so that a valid value allocates nothing. */
type Flaw = { path: string[]; what: string }

function flawIn(value: unknown, depth: number): Flaw | undefined {
  switch (typeof value) {
    case 'string':
      return flawOf(textFlaw(value))
    case 'number':
      if (!Number.isFinite(value)) return flawOf('a number that is too large')
      return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21
        ? flawOf('a whole number beyond 2^53 - 1, which JSON can’t represent exactly (send it as a string)')
        : undefined
    case 'object':
      return value === null ? undefined : flawInMembers(value, depth)
    default:
      return undefined
  }
}

function flawInMembers(value: object, depth: number): Flaw | undefined {
  if (depth === wireLimits.json.depth) throw tooDeep(wireLimits.json.depth)
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const flaw = flawIn(value[index], depth + 1)
      if (flaw !== undefined) return within(flaw, String(index))
    }
    return undefined
  }
  for (const key of Object.keys(value)) {
    // The schemas' library is one of those that drop it: what is approved would not be what was sent.
    const flawed = key === '__proto__' ? protoFlaw : textFlaw(key)
    const flaw = flawOf(flawed) ?? flawIn(Reflect.get(value, key), depth + 1)
    if (flaw !== undefined) return within(flaw, key)
  }
  return undefined
}

const flawOf = (what: string | undefined): Flaw | undefined => (what === undefined ? undefined : { path: [], what })

function within(flaw: Flaw, key: string): Flaw {
  // A name may itself contain what can't be stored.
  flaw.path.push(key.toWellFormed().replaceAll('\u0000', '\ufffd'))
  return flaw
}

/** What clients of the procedure library send with a subscription over SSE. */
const ofStreams = ['lastEventId', 'Last-Event-Id', 'connectionParams']

/**
 * Throws `validation_failed` for parameters of an address that a procedure does not read: without their filter or limit
 * an answer would look like the one that was asked for.
 */
export function refuseUnread(
  kind: 'query' | 'mutation' | 'subscription',
  { method, parameters }: { method: string; parameters: readonly string[] },
): void {
  const isPosted = method === 'POST'
  const read = ['batch', ...(isPosted ? [] : ['input']), ...(kind === 'subscription' ? ofStreams : [])]
  refuseParameters(
    parameters.filter((name) => !read.includes(name)),
    isPosted ? 'Send the input in the body: {"json":{…}}.' : 'Send the input as one parameter: input={"json":{…}}.',
  )
}

/** The parameters of an address, of which a route reads those in `read`. Throws `validation_failed` for others. */
export function parametersOf(request: Request, read: readonly string[]): URLSearchParams {
  const { searchParams } = new URL(request.url)
  const unknown = [...searchParams.keys()].filter((name) => !read.includes(name))
  refuseParameters(unknown, `This route reads ${read.length === 0 ? 'none' : read.join(', ')}.`)
  return searchParams
}

/** Throws `validation_failed` with `advice` if there are any. */
function refuseParameters(unknown: readonly string[], advice: string): void {
  if (unknown.length === 0) return
  const names = [...new Set(unknown)]
  throw new ApiError(
    'validation_failed',
    `Unknown parameter${names.length === 1 ? '' : 's'} ${someOf(names)}. ${advice}`,
    { issues: names.slice(0, 10).map((path) => ({ path, message: 'Unknown parameter.' })) },
  )
}
