import type { Log } from '#server/kernel/log.ts'
import { beginJob } from '#server/kernel/observe/queue-meters.ts'
import { beginRoot } from '#server/kernel/observe/spans.ts'

/** Runs a job with metrics, a span, and a line in the log if it fails. `own` runs instead of the queue's handler. */
export type MeasuredRun<Data> = (data: Data, retries: number, own?: () => Promise<void>) => Promise<void>

export const measuredRun =
  <Data extends { id: string }>(
    queue: string,
    run: (data: Data, retries: number) => Promise<void>,
    log: Log,
  ): MeasuredRun<Data> =>
  async (data, retries, own = () => run(data, retries)) => {
    const measured = beginJob(queue)
    const span = beginRoot('consumer')
    const attributes = { 'countersign.queue': queue, 'countersign.attempt': retries + 1 }
    try {
      await (span === undefined ? own() : span.within(own))
      measured('done')
      span?.end(`job ${queue}`, attributes, 'ok')
    } catch (error) {
      measured('failed')
      span?.end(`job ${queue}`, attributes, 'failed')
      log.error({ err: error, queue, id: data.id }, 'a job failed and will be tried again')
      throw error
    }
  }
