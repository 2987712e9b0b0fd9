import { randomUUID } from 'node:crypto'
import type { TestApi } from '#server/testing/api.ts'
import { startChild } from '../child.ts'
import { call, type HttpCall, httpSide } from '../load.ts'
import type { comparer } from '../measure.ts'
import { type Figure, ratioFigure } from '../report.ts'

const bodyFor = (executionId: string) =>
  JSON.stringify({ correlation: { executionId, input: 'confirmation' }, data: { approved: true } })

/**
 * One event for an unknown execution, which is kept until it expires. Each new event is for another execution, because events
 * for one execution are accepted one after the other.
 */
export const eventCall =
  (url: string, headers: Record<string, string>) =>
  (key: string): HttpCall => ({
    url,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': key },
    body: bodyFor(/^[0-9a-f-]{36}$/.test(key) ? key : '019a0000-0000-7000-8000-000000000007'),
  })

export const ourEventCall = async (api: TestApi): Promise<(key: string) => HttpCall> =>
  eventCall(`${api.baseUrl}/v1/input-events`, { authorization: `Bearer ${await api.client('ci-pipeline')}` })

export async function inputEvents(
  api: TestApi,
  apiPid: number,
  compare: ReturnType<typeof comparer>,
): Promise<Figure[]> {
  const peer = await startChild('bench/peers/inbox.ts', { DATABASE_URL: api.ownerUrl })
  try {
    const [ours, theirs] = [await ourEventCall(api), eventCall(peer.address, {})]
    const figures: Figure[] = []
    for (const [result, keyOf] of [
      ['accepted', () => randomUUID()],
      ['duplicate', () => 'bench-duplicate'],
    ] as const) {
      if (result === 'duplicate') await Promise.all([call(ours(keyOf())), call(theirs(keyOf()))])
      for (const one of [ours, theirs]) {
        const answer: { result: string } = JSON.parse(await call(one(keyOf())))
        if (answer.result !== result) throw new Error(`Not the same work: ${answer.result}`)
      }
      const compared = await compare(
        httpSide('insert on conflict', [peer.pid], true, () => theirs(keyOf())),
        httpSide('countersign', [apiPid], true, () => ours(keyOf())),
      )
      const limit = 'commits on 32 connections 5–8 k/s'
      const note = 'ours also authenticates, matches the event to its wait, and writes the audit record'
      figures.push(
        ratioFigure(
          { case: 7, job: `POST /v1/input-events: ${result}`, unit: '/CPU s', least: 0.3, limit, note },
          compared,
        ),
      )
    }
    return figures
  } finally {
    await peer.stop()
  }
}
