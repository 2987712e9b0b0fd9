import type { QueueDepth } from '#server/kernel/queue-store.ts'
import { counter, gauge, histogram } from './meters.ts'

const jobs = counter(
  'countersign_jobs_total',
  'Jobs that this process ran, by queue and result: done, or failed and tried again.',
)
const duration = histogram(
  'countersign_job_duration_seconds',
  'Time that a job ran in this process.',
  [0.01, 0.05, 0.1, 0.5, 1, 5, 30, 120, 600],
)
const depth = gauge(
  'countersign_queue_jobs_all',
  'Unfinished jobs of all tenants by queue and state: waiting, running or retrying.',
)
const oldest = gauge(
  'countersign_queue_oldest_due_seconds_all',
  'Waiting time of the oldest job that is due, of all tenants.',
)

/** Measures a job that begins. Call the result when it ends. */
export function beginJob(queue: string): (result: 'done' | 'failed') => void {
  const begun = performance.now()
  return (result) => {
    jobs.add({ queue, result })
    duration.observe((performance.now() - begun) / 1000, { queue })
  }
}

/** Measures the queues until the returned function is called. */
export function measureQueues(read: () => Promise<QueueDepth[]>): () => void {
  const stops = [
    depth.from(async () =>
      (await read()).map(({ queue, state, jobs: value }) => ({ labels: { queue, state }, value })),
    ),
    oldest.from(async () =>
      (await read())
        .filter(({ state }) => state === 'waiting')
        .map(({ queue, oldestDueSeconds: value }) => ({ labels: { queue }, value })),
    ),
  ]
  return () => stops.forEach((stop) => void stop())
}
