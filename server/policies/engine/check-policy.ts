import { ApiError, type Issue } from '#lib/errors.ts'
import { positionOfByte } from '#server/policies/language/position.ts'
import { findExcess, type RuleText, splitRules } from '#server/policies/language/split-rules.ts'
import { typedSchema } from '#server/policies/language/typed-schema.ts'
import { ask, EngineFailure, startWorker } from './worker.ts'

/** What the thread works on: the rules, and the Cedar schema that they are validated against. */
export type CheckTask = { rules: RuleText[]; schema: string }
/** What is wrong with one rule; `byte` is a UTF-8 offset in the rule's own text. */
export type RuleProblem = { rule: number; message: string; byte: number }

/** Milliseconds of the thread's own time, that the text costs; how long that may take; how long the thread may start. */
const cpuMs = 3000
const timeoutMs = 30_000
const startMs = 30_000
const mostIssues = 50

/** At most this many texts are checked at once in this process, and this many wait; Cedar's threads cost memory. */
const atOnce = 2
const mostWaiting = 16
let running = 0
const waiting: (() => void)[] = []

/**
 * Everything that is wrong with a policy's text, in its order; empty when it may be stored. The text is scanned, then
 * parsed, linted and validated against `schema` in a thread of its own. Throws ApiError unavailable when too many texts wait already.
 */
export async function checkPolicy(source: string, schema: string = typedSchema([])): Promise<Issue[]> {
  const excess = findExcess(source)
  if (excess !== undefined) return [issueAt(source, Buffer.byteLength(source.slice(0, excess.index)), excess.message)]
  const rules = splitRules(source)
  if (rules.length === 0) return [issueAt(source, 0, 'The policy holds no rule.')]
  const problems = await inTurn(() => problemsOf({ rules, schema }))
  return problems
    .map(({ rule, message, byte }) => {
      const before = Buffer.byteLength(source.slice(0, rules[rule]?.start ?? 0))
      return { byte: before + byte, message }
    })
    .sort((a, b) => a.byte - b.byte)
    .slice(0, mostIssues)
    .map(({ byte, message }) => issueAt(source, byte, message))
}

const issueAt = (source: string, byte: number, message: string): Issue => ({
  path: 'source',
  message,
  ...positionOfByte(source, byte),
})

async function problemsOf(task: CheckTask): Promise<RuleProblem[]> {
  const worker = startWorker('check-worker.ts', {
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 2 },
  })
  try {
    await ask<'started'>(worker, 'start', startMs)
  } catch (cause) {
    throw new ApiError('unavailable', 'The policy engine did not start. Try again in a moment.', { cause })
  }
  try {
    const problems = await ask<RuleProblem[]>(worker, task, timeoutMs, cpuMs)
    await worker.terminate()
    return problems
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    return [{ rule: 0, message: 'The policy engine could not work through this text. Write it simpler.', byte: 0 }]
  }
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= atOnce) {
    if (waiting.length >= mostWaiting)
      throw new ApiError('unavailable', 'Too many policies are being checked. Try again in a moment.')
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else running += 1
  try {
    return await work()
  } finally {
    // The place goes straight to who waits longest.
    const next = waiting.shift()
    if (next === undefined) running -= 1
    else next()
  }
}

/** Throws `invalid_policy` (400) with the place of each error. */
export async function requireSound(source: string, schema: string): Promise<void> {
  const issues = await checkPolicy(source, schema)
  const [first] = issues
  if (first === undefined) return
  const more = issues.length === 1 ? '' : ` (and ${issues.length - 1} more)`
  throw new ApiError('invalid_policy', `Line ${first.line}, column ${first.column}: ${first.message}${more}`, {
    issues,
  })
}
