import type { Worker } from 'node:worker_threads'
import { ask, startWorker, WorkerFailure } from '#server/kernel/threads/worker.ts'
import type { DescribedRule } from './describe-rule.ts'
import type { Settlement } from './soft-forbid.ts'
import { TenantTurns } from './tenant-turns.ts'
import type { CedarRequest, PolicyText } from './terms.ts'

/** Equal keys mean the same sources in the same order. Without `texts`, the worker must have cached the set. */
type AskedSet = { key: string; texts?: readonly PolicyText[] }
type CallQuestion = {
  /** Only reads the set: its sources have more time than a question about them. */
  reads?: true
  set: AskedSet
  request: CedarRequest
  /** Tokens of granted approvals. */
  grants: readonly string[]
  /** The arguments don't fit their types and are left out of the context. */
  misfit: boolean
}
/** About one call, or what the rules of a set are. */
export type Question = CallQuestion | { describes: true; set: AskedSet }
/** `policies`: positions in the set of the policies with a rule that can match; absent when unknown. */
export type Settled = Settlement & { policies?: readonly number[] }
type Described = { described: DescribedRule[] }
export type Answer = Settled | Described | 'unknown_set' | 'read'

/**
 * Milliseconds of the thread's processor time for one batch, longer when a worker starts or sources are parsed; and the wait
 * for the answer, which is longer because other processes that keep the machine busy must not cause denials.
 */
const cpuMs = 2000
const parseCpuMs = 10_000
const timeoutMs = 30_000
/** How often a set is read for one question before both are sent together, which has the time for sources. */
const mostReads = 3
/** The most questions sent to the worker in one batch. */
const mostTogether = 32

type Waiting = {
  tenantId: string
  question: Question
  /** Its batch has failed once, perhaps because of it. */
  alone: boolean
  resolve(answer: Asked): void
  reject(error: unknown): void
}
type Asked = { answer: Answer; alone: boolean }
type Engine = {
  worker: Worker | undefined
  turns: TenantTurns<Waiting>
  busy: Promise<void> | undefined
  /** Unlike `busy`, also while the sources of a set are read between its two questions. */
  asked: Set<Promise<unknown>>
}

// The decision worker of the process and the questions that wait for it. Owner: this module.
const engine: Engine = { worker: undefined, turns: new TenantTurns(), busy: undefined, asked: new Set() }

/**
 * Settles one request of a tenant by the rules of one set. `readTexts` is called when the worker has not cached the set.
 * Questions that arrive while the worker is busy are sent to it in one batch, in which tenants have equal shares. A worker that
 * traps or hangs is replaced, and each question of its batch is retried alone, when its tenant has its next turn: only the one
 * that caused the failure fails, with WorkerFailure, and other tenants wait for one question at a time.
 */
export async function settleIn(
  tenantId: string,
  question: CallQuestion,
  readTexts: () => Promise<readonly PolicyText[]>,
): Promise<Settled> {
  return await whileAsked(settle(tenantId, question, readTexts))
}

/** The rules of one source in its order. Empty if this version of Cedar does not parse it. */
export async function describeRules(tenantId: string, text: PolicyText): Promise<DescribedRule[]> {
  const question = { describes: true as const, set: { key: `only ${text.digest}`, texts: [text] } }
  const { answer } = await whileAsked(enqueue(tenantId, question, false))
  if (typeof answer !== 'object' || !('described' in answer))
    throw new WorkerFailure('The policy engine did not describe the rules.')
  return answer.described
}

async function whileAsked<T>(answer: Promise<T>): Promise<T> {
  engine.asked.add(answer)
  try {
    return await answer
  } finally {
    engine.asked.delete(answer)
  }
}

async function settle(
  tenantId: string,
  question: CallQuestion,
  readTexts: () => Promise<readonly PolicyText[]>,
): Promise<Settled> {
  const first = await enqueue(tenantId, question, false)
  if (isSettled(first.answer)) return first.answer
  const known = { ...question, set: { key: question.set.key, texts: await readTexts() } }
  // A question that may have failed a batch stays alone with a new worker, which has to read its set again.
  let { alone } = first
  for (let read = 1; read <= mostReads; read++) {
    alone = (await enqueue(tenantId, { ...known, reads: true }, alone)).alone
    const asked = await enqueue(tenantId, question, alone)
    if (isSettled(asked.answer)) return asked.answer
    // Between the two, other sets have displaced it, or its batch failed.
    alone = asked.alone
  }
  const last = await enqueue(tenantId, known, alone)
  if (isSettled(last.answer)) return last.answer
  throw new WorkerFailure('The policy engine lost a set that it had just received.')
}

const isSettled = (answer: Answer): answer is Settled => typeof answer === 'object' && 'effect' in answer

function enqueue(tenantId: string, question: Question, alone: boolean): Promise<Asked> {
  const { promise, resolve, reject } = Promise.withResolvers<Asked>()
  const waiting = { tenantId, question, alone, resolve, reject }
  if (alone) engine.turns.addAlone([[tenantId, waiting]])
  else engine.turns.add(tenantId, waiting)
  engine.busy ??= work(engine)
  return promise
}

async function work(state: Engine): Promise<void> {
  for (;;) {
    const batch = state.turns.next(mostTogether)
    if (batch.length === 0) break
    try {
      await answerAll(state, batch)
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error)
      else state.turns.addAlone(batch.map((one) => [one.tenantId, { ...one, alone: true }]))
    }
  }
  // In the same turn as the check of what waits, so that a question arriving later starts a new loop.
  state.busy = undefined
}

async function answerAll(state: Engine, batch: readonly Waiting[]): Promise<void> {
  const questions = batch.map(({ question }) => question)
  const slow = state.worker === undefined || questions.some(({ set }) => set.texts !== undefined)
  const worker = state.worker ?? start(state)
  try {
    // As JSON text: cloning many small objects costs both threads more than serializing and parsing.
    const text = await ask<string>(worker, JSON.stringify(questions), timeoutMs, slow ? parseCpuMs : cpuMs)
    const answers: Answer[] = JSON.parse(text)
    for (const [index, { alone, resolve, reject }] of batch.entries()) {
      const answer = answers[index]
      if (answer === undefined) reject(new WorkerFailure('The policy engine did not answer every question.'))
      else resolve({ answer, alone })
    }
  } catch (error) {
    if (state.worker === worker) state.worker = undefined
    throw error
  }
}

function start(state: Engine): Worker {
  const worker = startWorker(import.meta.url, 'decision-worker.ts', {
    resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 4 },
  })
  const forget = () => {
    if (state.worker === worker) state.worker = undefined
  }
  // A worker that dies between batches is replaced at the next one. Without a listener its error would end the process.
  worker.on('error', forget)
  worker.on('exit', forget)
  state.worker = worker
  return worker
}

/** Ends the decision worker after the questions already asked. A later question starts a new one. */
export async function closeEngine(): Promise<void> {
  await Promise.allSettled(engine.asked)
  await engine.busy
  const { worker } = engine
  engine.worker = undefined
  await worker?.terminate()
}
