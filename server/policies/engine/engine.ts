import type { Worker } from 'node:worker_threads'
import type { Settlement } from './soft-forbid.ts'
import type { CedarRequest, PolicyText } from './terms.ts'
import { ask, EngineFailure, startWorker } from './worker.ts'

export type Question = {
  /** Equal keys are equal texts in equal order; without `texts` the worker may not know it. */
  set: { key: string; texts?: readonly PolicyText[] }
  request: CedarRequest
  /** What granted approvals lift. */
  grants: readonly string[]
  /** The arguments don't fit their types, and are not in the context. */
  misfit: boolean
}
/** `policies`: places in the set of those that have a rule that can match; absent when that could not be told. */
export type Settled = Settlement & { policies?: readonly number[] }
export type Answer = Settled | 'unknown_set'

/**
 * Milliseconds of the thread's own time for one batch, longer where a worker starts or texts have to be parsed; and how long
 * that may take: other processes that keep the machine busy are no reason to deny.
 */
const cpuMs = 2000
const parseCpuMs = 10_000
const timeoutMs = 30_000
/** Questions that go to the worker together. */
const mostTogether = 32

type Waiting = { question: Question; resolve(answer: Answer): void; reject(error: unknown): void }
type Engine = { worker: Worker | undefined; waiting: Waiting[]; busy: Promise<void> | undefined }

// Owned by this module: the one decision worker of the process and what waits for it.
const engine: Engine = { worker: undefined, waiting: [], busy: undefined }

/**
 * Settles one request by the rules of one set. `readTexts` is called when the worker does not hold the set. What is asked
 * while the worker is busy goes to it in one batch. A worker that traps or hangs is replaced, and each question of its batch
 * asked once more, alone: only the one that it died of fails, with EngineFailure.
 */
export async function settleIn(question: Question, readTexts: () => Promise<readonly PolicyText[]>): Promise<Settled> {
  const answer = await enqueue(question)
  if (answer !== 'unknown_set') return answer
  const again = await enqueue({ ...question, set: { key: question.set.key, texts: await readTexts() } })
  if (again === 'unknown_set') throw new EngineFailure('The policy engine forgot a set that it was just given.')
  return again
}

function enqueue(question: Question): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  engine.waiting.push({ question, resolve, reject })
  engine.busy ??= work(engine)
  return promise
}

async function work(state: Engine): Promise<void> {
  while (state.waiting.length > 0) {
    const batch = state.waiting.splice(0, mostTogether)
    try {
      await answerAll(state, batch)
    } catch {
      // Whatever it was, no innocent question is denied for it.
      for (const one of batch) await answerAll(state, [one]).catch(one.reject)
    }
  }
  // In the same turn as the look at what waits: a question that comes later finds nobody at work, and begins anew.
  state.busy = undefined
}

async function answerAll(state: Engine, batch: readonly Waiting[]): Promise<void> {
  const questions = batch.map(({ question }) => question)
  const slow = state.worker === undefined || questions.some(({ set }) => set.texts !== undefined)
  const worker = state.worker ?? start(state)
  try {
    // As text: many small objects cost both threads more to clone than to write and to parse.
    const text = await ask<string>(worker, JSON.stringify(questions), timeoutMs, slow ? parseCpuMs : cpuMs)
    const answers: Answer[] = JSON.parse(text)
    for (const [index, { resolve, reject }] of batch.entries()) {
      const answer = answers[index]
      if (answer === undefined) reject(new EngineFailure('The policy engine left a question out.'))
      else resolve(answer)
    }
  } catch (error) {
    if (state.worker === worker) state.worker = undefined
    throw error
  }
}

function start(state: Engine): Worker {
  const worker = startWorker('decision-worker.ts', {
    resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 4 },
  })
  const forget = () => {
    if (state.worker === worker) state.worker = undefined
  }
  // One that dies between two batches is simply replaced at the next; without a listener its error would end the process.
  worker.on('error', forget)
  worker.on('exit', forget)
  state.worker = worker
  return worker
}

/** Ends the decision worker after what was asked before. A later question starts a new one. */
export async function closeEngine(): Promise<void> {
  await engine.busy
  const { worker } = engine
  engine.worker = undefined
  await worker?.terminate()
}
