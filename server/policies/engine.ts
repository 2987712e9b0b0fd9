import type { Worker } from 'node:worker_threads'
import type { CedarValueJson, EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs'
import { ask, EngineFailure, startWorker } from './worker.ts'

/** A request in Cedar's own terms; the engine adds `context.fulfilled`. */
export type CedarRequest = {
  principal: TypeAndId
  action: TypeAndId
  resource: TypeAndId
  context: Record<string, CedarValueJson>
  entities: EntityJson[]
}

/** A published text; equal digests are equal texts and parsed once. */
export type PolicyText = { digest: string; source: string }

export type Batch = { request: CedarRequest; policies: (PolicyText & { fulfilled: string[] })[] }

/** What the decision point needs to know of a rule: its place, its own text, its annotations. */
export type RuleFacts = { order: number; text: string; annotations: Record<string, string> }

export type Evaluation =
  /** `determining`: all satisfied forbids, else all satisfied permits. `erring`: rules that Cedar would have skipped. */
  | { outcome: 'decided'; decision: 'allow' | 'deny'; determining: RuleFacts[]; erring: RuleFacts[] }
  /** The text does not parse. */
  | { outcome: 'unusable_policy' }
  /** The request does not fit the schema. */
  | { outcome: 'invalid_request' }

/** Milliseconds for one batch; a worker's first one includes its start. */
const timeoutMs = 2000
const startMs = 10_000

type Engine = { worker: Worker | undefined; turn: Promise<unknown> }

// Server code can be loaded twice (Next's bundle and the server's own graph): one decision worker serves both.
const slot = Symbol.for('countersign.policy-engine')
const holder = globalThis as typeof globalThis & { [slot]?: Engine }

function engine(): Engine {
  holder[slot] ??= { worker: undefined, turn: Promise.resolve() }
  return holder[slot]
}

/**
 * Evaluates each policy by itself on one request, in the decision worker; batches run one after the other. A worker that
 * traps or hangs is replaced and asked once more. Throws EngineFailure when the second one fails too.
 */
export function evaluate(batch: Batch): Promise<Evaluation[]> {
  const state = engine()
  const answer = state.turn.then(async () => {
    try {
      return await askOnce(state, batch)
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error
      return await askOnce(state, batch)
    }
  })
  // The next batch waits for this one to end, however it ends.
  state.turn = answer.then(
    () => undefined,
    () => undefined,
  )
  return answer
}

async function askOnce(state: Engine, batch: Batch): Promise<Evaluation[]> {
  const limit = state.worker === undefined ? startMs : timeoutMs
  const worker = state.worker ?? start(state)
  try {
    return await ask<Evaluation[]>(worker, batch, limit)
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

/** Ends the decision worker after the batches that were asked before. A later evaluate() starts a new one. */
export async function closeEngine(): Promise<void> {
  const state = engine()
  await state.turn
  const { worker } = state
  state.worker = undefined
  await worker?.terminate()
}
