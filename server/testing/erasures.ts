import type { z } from 'zod'
import type { Erasure } from '#lib/schemas/privacy.ts'
import { payload, type TestApi } from './api.ts'
import { until } from './until.ts'

type ErasureView = z.infer<typeof Erasure>

/** Requests an erasure as Pia and returns its id. */
export async function requestErasure(api: TestApi, subject: string): Promise<string> {
  const asked = { subject, reason: 'Request 17.' }
  return payload<{ erasureId: string }>(await api.mutate(await api.person('pia'), 'erasures.create', asked)).erasureId
}

export async function getErasure(api: TestApi, erasureId: string): Promise<ErasureView> {
  const { items } = payload<{ items: ErasureView[] }>(await api.query(await api.person('pia'), 'erasures.list', {}))
  const found = items.find(({ id }) => id === erasureId)
  if (found === undefined) throw new Error('The erasure is not listed.')
  return found
}

/**
 * Waits until the erasure has searched everything: it has ended, or waits for content in progress. It works in many transactions,
 * table after table, so that before then one value of an object may be erased and another not yet.
 */
export const erasureSearched = (api: TestApi, erasureId: string): Promise<ErasureView> =>
  until(
    async () => {
      const found = await getErasure(api, erasureId)
      return found.status === 'pending' && found.waitsFor.length === 0 ? undefined : found
    },
    'the erasure has searched everything',
    60_000,
  )
