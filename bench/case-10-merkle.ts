import { createHash, hash } from 'node:crypto'
import { inclusionProof, treeRoot } from '#server/audit/merkle.ts'
import type { comparer, Side } from './measure.ts'
import { type Figure, figure, number, ratioFigure } from './report.ts'

const leavesOf = (count: number): Buffer[] =>
  Array.from({ length: count }, (_, index) => hash('sha256', `${index}`, 'buffer'))

/** RFC 6962 §2.1 as it is written: a recursion over halves, a stream hash and a copy for each node. */
function naiveRoot(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves
  if (first !== undefined && leaves.length === 1) return first
  const left = 2 ** Math.ceil(Math.log2(leaves.length) - 1)
  return createHash('sha256')
    .update(Buffer.of(1))
    .update(naiveRoot(leaves.slice(0, left)))
    .update(naiveRoot(leaves.slice(left)))
    .digest()
}

const side = (name: string, leaves: readonly Buffer[], rootOf: (leaves: readonly Buffer[]) => Buffer): Side => ({
  name,
  database: false,
  async run(deadline) {
    let done = 0
    do {
      rootOf(leaves)
      done += leaves.length
    } while (performance.now() < deadline)
    return done
  },
})

export async function merkle(compare: ReturnType<typeof comparer>): Promise<Figure[]> {
  const some = leavesOf(1e5)
  if (!treeRoot(some).equals(naiveRoot(some))) throw new Error('Not the same root.')
  const result = await compare(side('naive', some, naiveRoot), side('countersign', some, treeRoot))
  const note = 'peer: textbook recursion; merkletreejs (target ≥ 8×) is no dependency'
  const job = `day root of ${number(some.length)} records`
  const many = leavesOf(1e6)
  const [cpuMs] = measured(() => treeRoot(many))
  return [
    ratioFigure({ case: 10, job, unit: 'leaves/CPU s', least: undefined, note }, result),
    proofFigure(some),
    figure({
      case: 10,
      job: `day root of ${number(many.length)} records`,
      ours: `${number(cpuMs)} CPU ms`,
      note: 'once',
    }),
    proofFigure(many),
  ]
}

function measured<T>(work: () => T): [cpuMs: number, result: T] {
  const before = process.cpuUsage()
  const result = work()
  const { user, system } = process.cpuUsage(before)
  return [(user + system) / 1000, result]
}

function proofFigure(leaves: readonly Buffer[]): Figure {
  const count = leaves.length
  const [cpuMs, proof] = measured(() => inclusionProof(leaves, Math.floor(count / 3)))
  const bytes = Buffer.concat(proof).length
  const limit = 32 * Math.ceil(Math.log2(count))
  return figure({
    case: 10,
    job: `inclusion proof among ${number(count)}`,
    ours: `${bytes} bytes, ${number(cpuMs)} CPU ms`,
    target: `≤ ${limit} bytes`,
    met: bytes <= limit ? 'yes' : 'no',
    note: 'the bytes are a counter; the whole tree is hashed for each proof',
  })
}
