import { ApiError, type Issue } from '#lib/errors.ts'
import { positionOfByte } from '#server/policies/language/position.ts'
import { findExcess, type RuleText, splitRules } from '#server/policies/language/split-rules.ts'
import { typedSchema } from '#server/policies/language/typed-schema.ts'
import { ask, EngineFailure, startWorker } from './worker.ts'

/** The input of the thread: the rules, and the Cedar schema to validate them against. */
export type CheckTask = { rules: RuleText[]; schema: string }
/** An issue in one rule; `byte` is a UTF-8 offset in the rule's own text. */
export type RuleProblem = { rule: number; message: string; byte: number }

/** Milliseconds: processor time of the thread for one source; the wait for its answer; the wait for the thread to start. */
const cpuMs = 3000
const timeoutMs = 30_000
const startMs = 30_000
const mostIssues = 50

/** The most sources checked concurrently in this process, and the most that wait; Cedar's threads cost memory. */
const maxRunning = 2
const mostWaiting = 16
let running = 0
const waiting: (() => void)[] = []

/**
 * All issues in a policy's source, in its order; empty when it may be stored. The source is scanned, then parsed, linted and
 * validated against `schema` in a thread of its own. Throws ApiError `unavailable` when too many sources are waiting.
 */
export async function checkPolicy(source: string, schema: string = typedSchema([])): Promise<Issue[]> {
  const excess = findExcess(source)
  if (excess !== undefined) return [issueAt(source, Buffer.byteLength(source.slice(0, excess.index)), excess.message)]
  const rules = splitRules(source)
  if (rules.length === 0) return [issueAt(source, 0, 'The policy does not contain any rules.')]
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
    return [{ rule: 0, message: 'The policy engine could not process this policy. Simplify it.', byte: 0 }]
  }
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= maxRunning) {
    if (waiting.length >= mostWaiting)
      throw new ApiError('unavailable', 'Too many policies are being checked. Try again in a moment.')
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else running += 1
  try {
    return await work()
  } finally {
    // Hands the slot to the source that has waited longest.
    const next = waiting.shift()
    if (next === undefined) running -= 1
    else next()
  }
}

/** Throws `invalid_policy` (400) with the position of each error. */
export async function requireSound(source: string, schema: string): Promise<void> {
  const issues = await checkPolicy(source, schema)
  const [first] = issues
  if (first === undefined) return
  const more = issues.length === 1 ? '' : ` (and ${issues.length - 1} more)`
  throw new ApiError('invalid_policy', `Line ${first.line}, column ${first.column}: ${first.message}${more}`, {
    issues,
  })
}
