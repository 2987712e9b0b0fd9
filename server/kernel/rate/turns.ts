import { ApiError } from '#lib/errors.ts'

/** 503: too many callers are already waiting; the caller may try again in a moment. */
export class OverloadError extends ApiError {
  constructor(message: string) {
    super('unavailable', message)
  }
}

/** From the widest to the narrowest: those who share a name take turns before the next name is served again. */
export type Lane = readonly [kind: string, ...names: string[]]

type Job = { kind: string; start(): void; refuse(): void }
type Turns = { waiting: number; children: Map<string, Turns>; jobs: Job[] }

const newTurns = (): Turns => ({ waiting: 0, children: new Map(), jobs: [] })

/**
 * Runs up to `concurrent` pieces of work concurrently, and up to `most` of one kind. Up to `waiting` more wait, and are
 * served in turns: kinds take turns, within a kind the names of the second level, and so on, so a crowd delays only
 * those with whom it shares a lane. If too many wait, the last of the longest lane is refused with OverloadError.
 */
export function createGate({
  concurrent,
  waiting,
  most = {},
}: {
  concurrent: number
  waiting: number
  most?: Readonly<Record<string, number>>
}) {
  const running = new Map<string, number>()
  const root = newTurns()
  let inside = 0

  const hasRoom = (kind: string): boolean =>
    inside < concurrent && (running.get(kind) ?? 0) < (most[kind] ?? concurrent)

  function enter(kind: string): void {
    inside += 1
    running.set(kind, (running.get(kind) ?? 0) + 1)
  }

  function leave(kind: string): void {
    inside -= 1
    running.set(kind, (running.get(kind) ?? 0) - 1)
    for (;;) {
      const next = [...root.children.keys()].find(hasRoom)
      if (next === undefined) return
      const job = takeNext(root, next)
      enter(job.kind)
      job.start()
    }
  }

  /** Resolves when the caller has a slot, which leave() gives back. */
  async function waitForTurn(lane: Lane): Promise<void> {
    const [kind] = lane
    if (hasRoom(kind)) return enter(kind)
    const turn = Promise.withResolvers<void>()
    const refuse = () => turn.reject(new OverloadError('Too many callers are waiting.'))
    append(root, lane, { kind, start: turn.resolve, refuse })
    if (root.waiting > waiting) takeLastOfLongest(root).refuse()
    await turn.promise
  }

  return async <T>(lane: Lane, work: () => Promise<T>): Promise<T> => {
    await waitForTurn(lane)
    try {
      return await work()
    } finally {
      leave(lane[0])
    }
  }
}

function append(root: Turns, lane: readonly string[], job: Job): void {
  let turns = root
  turns.waiting += 1
  for (const name of lane) {
    const child = turns.children.get(name) ?? newTurns()
    turns.children.set(name, child)
    turns = child
    turns.waiting += 1
  }
  turns.jobs.push(job)
}

/** The job whose turn it is, below the child `name`; every child on the way to it goes to the end of its siblings. */
function takeNext(turns: Turns, name = turns.children.keys().next().value): Job {
  turns.waiting -= 1
  const child = name === undefined ? undefined : turns.children.get(name)
  if (name === undefined || child === undefined) return only(turns.jobs.shift())
  const job = takeNext(child)
  turns.children.delete(name)
  if (child.waiting > 0) turns.children.set(name, child)
  return job
}

function takeLastOfLongest(turns: Turns): Job {
  turns.waiting -= 1
  let longest: [name: string, child: Turns] | undefined
  // Of lanes of the same length, the one that would wait longest.
  for (const entry of turns.children)
    if (longest === undefined || entry[1].waiting >= longest[1].waiting) longest = entry
  if (longest === undefined) return only(turns.jobs.pop())
  const [name, child] = longest
  const job = takeLastOfLongest(child)
  if (child.waiting === 0) turns.children.delete(name)
  return job
}

function only(job: Job | undefined): Job {
  if (job === undefined) throw new Error('unreachable: a lane is removed with its last job')
  return job
}
