'use client'

import { useEffect, useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useQueryClient } from '#components/api/query.ts'
import type { Approval } from '#lib/schemas/approvals.ts'
import { toFailure, useTRPC } from '#lib/trpc.ts'
import { checkShown } from '../[approvalId]/decision/use-shown-digest.ts'
import { type BulkDecision, whyNotNow } from './bulk.ts'
import type { Request } from './filter.ts'

/** What became of one request. `unknown`: no answer arrived, so it may have been recorded. */
export type Result =
  | { is: 'waiting' }
  | { is: 'sending' }
  | { is: 'recorded'; auditId: string }
  | { is: 'refused'; why: string }
  | { is: 'unknown'; why: string }

/** `whyNot`: the request can't be decided together with the others. */
export type Item = { request: Request; read: Approval; whyNot: string | undefined; result: Result }

export type Bulk = {
  /** Undefined while the requests are read. */
  items: Item[] | undefined
  loadError: unknown
  state: 'open' | 'sending' | 'done'
  send: (reason: string) => Promise<void>
}

const decideTimeoutMs = 20_000

/** Reads each request again, and then decides those that can be decided, one after the other, each by its own digest. */
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

  const settle = (approvalId: string, result: Result) =>
    setItems((all) => all?.map((item) => (item.request.approvalId === approvalId ? { ...item, result } : item)))

  async function send(reason: string): Promise<void> {
    setState('sending')
    for (const { read, whyNot } of items ?? []) {
      if (whyNot !== undefined) continue
      const { approvalId, revision: expectedRevision, payloadDigest } = read
      settle(approvalId, { is: 'sending' })
      const input = {
        approvalId,
        decision,
        reason,
        expectedRevision,
        payloadDigest,
        decisionAcknowledged: true,
      } as const
      const options = { context: { idempotencyKey: crypto.randomUUID() }, signal: AbortSignal.timeout(decideTimeoutMs) }
      settle(
        approvalId,
        await client.approvals.decide.mutate(input, options).then(
          ({ auditId }): Result => ({ is: 'recorded', auditId }),
          (error: unknown): Result => resultOf(error),
        ),
      )
    }
    setState('done')
    void queryClient.invalidateQueries(trpc.approvals.pathFilter(), { cancelRefetch: true })
  }
  return { items, loadError, state, send }
}

/** An error without a status from the server says nothing about whether the decision was recorded. */
function resultOf(error: unknown): Result {
  const failure = toFailure(error)
  const { httpStatus, message } = failure
  return { is: httpStatus !== undefined && httpStatus < 500 ? 'refused' : 'unknown', why: message }
}
