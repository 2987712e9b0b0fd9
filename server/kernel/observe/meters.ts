import { type Exposed, exposition, labelsOf, type Sample } from './exposition.ts'

// What this process counts for its operator. Labels have few values and are never a tenant, a person or an address, so that the number
// of series is bounded and no series says who did something.

type Labels = Record<string, string>

// Owned by this module: the meters of the process, in the order in which they were made.
const meters = new Map<string, { read(): Promise<Exposed> | Exposed }>()

function register(name: string, read: () => Promise<Exposed> | Exposed): void {
  if (meters.has(name)) throw new Error(`The metric ${name} exists twice.`)
  meters.set(name, { read })
}

/** A number that only grows. */
export function counter(name: string, help: string): { add(labels?: Labels): void } {
  const counts = new Map<string, Sample>()
  register(name, () => ({ name, type: 'counter', help, samples: [...counts.values()] }))
  return {
    add(labels = {}) {
      const key = labelsOf(labels)
      const sample = counts.get(key)
      if (sample === undefined) counts.set(key, { labels, value: 1 })
      else sample.value += 1
    },
  }
}

/** A number that only grows, and that its owner keeps: for what happens too often to look up its series each time. */
export function countedBy(name: string, help: string, read: () => number): void {
  register(name, () => ({ name, type: 'counter', help, samples: [{ labels: {}, value: read() }] }))
}

type Series = { labels: Labels; counts: number[]; sum: number }

/** How many observations were at most as large as each of `bounds`, which ascend. */
export function histogram(
  name: string,
  help: string,
  bounds: readonly number[],
): { observe(value: number, labels?: Labels): void } {
  const all = new Map<string, Series>()
  const samplesOf = ({ labels, counts, sum }: Series): Sample[] => {
    let below = 0
    const buckets = [...bounds.map(String), '+Inf'].map((le, index) => {
      below += counts[index] ?? 0
      return { labels: { ...labels, le }, value: below, suffix: '_bucket' }
    })
    return [...buckets, { labels, value: sum, suffix: '_sum' }, { labels, value: below, suffix: '_count' }]
  }
  register(name, () => ({ name, type: 'histogram', help, samples: [...all.values()].flatMap(samplesOf) }))
  return {
    observe(value, labels = {}) {
      const key = labelsOf(labels)
      let series = all.get(key)
      if (series === undefined) {
        series = { labels, counts: new Array<number>(bounds.length + 1).fill(0), sum: 0 }
        all.set(key, series)
      }
      const bound = bounds.findIndex((one) => value <= one)
      const index = bound === -1 ? bounds.length : bound
      series.counts[index] = (series.counts[index] ?? 0) + 1
      series.sum += value
    },
  }
}

type Read = () => Promise<readonly Sample[]> | readonly Sample[]

/** A value that is read when someone asks. Each source adds its samples until it is removed. */
export function gauge(name: string, help: string): { from(read: Read): () => void } {
  const sources = new Set<Read>()
  register(name, async () => ({
    name,
    type: 'gauge',
    help,
    samples: (await Promise.all([...sources].map((read) => read()))).flat(),
  }))
  return {
    from(read) {
      sources.add(read)
      return () => void sources.delete(read)
    },
  }
}

/** All meters in Prometheus' text format. A gauge that could not be read is left out, and counted. */
export async function exposeMeters(): Promise<string> {
  const read = await Promise.allSettled([...meters.values()].map((meter) => meter.read()))
  const found = read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const unread = {
    name: 'countersign_unread_metrics',
    type: 'gauge' as const,
    help: 'Metrics that could not be read, for example because the database does not answer.',
    samples: [{ labels: {}, value: read.length - found.length }],
  }
  return exposition([...found, unread])
}
