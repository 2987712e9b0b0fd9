'use client'

import { useEffect, useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useQueryClient } from '#components/api/query.ts'
import { NotSent, type Result } from '#components/bulk/result.ts'
import { sendEach } from '#components/bulk/send-each.ts'
import { failureText } from '#components/session/failure-text.ts'
import type { Approval } from '#lib/schemas/approvals.ts'
import { toFailure, useTRPC } from '#lib/trpc.ts'
import { checkShown } from '../[approvalId]/decision/use-shown-digest.ts'
import { type BulkDecision, whyNotNow } from './bulk.ts'
import type { Request } from './filter.ts'

/** `whyNot`: the request can't be decided together with the others. */
export type Item = { request: Request; read: Approval; whyNot: string | undefined; result: Result }

export type Bulk = {
  /** Undefined while the requests are read. */
  items: Item[] | undefined
  loadError: unknown
  state: 'open' | 'sending' | 'done'
  send: (reason: string) => Promise<void>
}

/**
 * Reads each request again, and then decides those that can be decided, one after the other, each by its own digest. Just before its
 * approval, each is read again: one of those before it may have been on the same object.
 */
export function useBulk(decision: BulkDecision, requests: readonly Request[]): Bulk {
  const trpc = useTRPC()
  const { client } = useApi()
  const queryClient = useQueryClient()
  // As they were selected: a request that is decided leaves the list behind the dialog.
  const [selected] = useState(requests)
  const [items, setItems] = useState<Item[]>()
  const [loadError, setLoadError] = useState<unknown>()
  const [state, setState] = useState<Bulk['state']>('open')

  useEffect(() => {
    const closed = new AbortController()
    const { signal } = closed
    const read = async ({ approvalId }: Request) => {
      const approval = await client.approvals.get.query({ approvalId }, { signal })
      return { approval, shown: await checkShown(approval) }
    }
    Promise.all(selected.map(read)).then(
      (reads) => {
        if (signal.aborted) return
        setItems(
          selected.flatMap((request, index) => {
            const found = reads[index]
            if (found === undefined) return []
            const whyNot = whyNotNow(decision, request, found.approval, found.shown)
            return [{ request, read: found.approval, whyNot, result: { is: 'waiting' } }]
          }),
        )
      },
      (error: unknown) => signal.aborted || setLoadError(error),
    )
    return () => closed.abort()
  }, [client, decision, selected])

  /** One of the requests before it may have been on the same object. */
  async function requireStill(request: Request, signal: AbortSignal): Promise<void> {
    const now = await client.approvals.get
      .query({ approvalId: request.approvalId }, { signal })
      .catch((error: unknown) => Promise.reject(new NotSent(failureText(toFailure(error)))))
    const whyNot = whyNotNow(decision, request, now, await checkShown(now))
    if (whyNot !== undefined) throw new NotSent(whyNot)
  }

  const settle = ({ request }: Item, result: Result) =>
    setItems((all) => all?.map((item) => (item.request.approvalId === request.approvalId ? { ...item, result } : item)))

  async function send(reason: string): Promise<void> {
    setState('sending')
    const possible = (items ?? []).filter(({ whyNot }) => whyNot === undefined)
    await sendEach(
      possible,
      async ({ request, read: { approvalId, revision: expectedRevision, payloadDigest } }, options) => {
        if (decision === 'approve') await requireStill(request, options.signal)
        return await client.approvals.decide.mutate(
          { approvalId, decision, reason, expectedRevision, payloadDigest, decisionAcknowledged: true },
          options,
        )
      },
      settle,
    )
    setState('done')
    void queryClient.invalidateQueries(trpc.approvals.pathFilter(), { cancelRefetch: true })
  }
  return { items, loadError, state, send }
}
