'use client'

import { type RefObject, startTransition, useEffect, useMemo, useReducer, useRef, useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useQuery, useQueryClient } from '#components/api/query.ts'
import type { Act } from '#components/api/use-act.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { confirmWithPasskey } from '#components/passkeys/ceremony.ts'
import { useOnline } from '#components/session/online.ts'
import { useSession } from '#components/session/session-provider.tsx'
import { toFailure, useTRPC } from '#lib/trpc.ts'
import { longValues } from '../case/long-values.ts'
import { canStillChange } from '../case/outcome.ts'
import { type Attempt, type Draft, initial, type Machine, nextAttempt, reduce } from './decision-state.ts'
import { type Conditions, type View, viewOf, whyNotSubmit } from './decision-view.ts'
import { useDeadline } from './use-deadline.ts'
import { useDraftStorage } from './use-draft-storage.ts'
import { useOpened } from './use-opened.ts'
import { type ShownDigest, useShownDigest } from './use-shown-digest.ts'

/** While the socket is down, in milliseconds. */
const pollMs = 10_000
/** In milliseconds. An unknown outcome is polled, because a decision that was not recorded sends no notification. */
const checkMs = 2_000
/** Without an answer after this time, the outcome of a decision is unknown. In milliseconds. */
const decideTimeoutMs = 20_000

export type DecisionControl = {
  machine: Machine
  view: View
  whyNot: string | undefined
  shownDigest: ShownDigest
  /** The call that begins the time to read. */
  opening: Act<{ approvalId: string }>
  loadError: unknown
  reload: () => void
  edit: (draft: Partial<Draft>) => void
  submit: () => void
  review: () => void
  /** The paths of the long values that the person has asked to see in full. */
  expanded: ReadonlySet<string>
  expand: (path: string) => void
  /** A key that chooses a decision moves the focus here. */
  reasonField: RefObject<HTMLTextAreaElement | null>
  /** Below a width of 900 px the form is in a sheet. */
  sheet: { open: boolean; setOpen: (open: boolean) => void }
}

/** Reads one request, keeps the person's draft of a decision, and sends it. It never assumes an outcome. */
export function useDecision(approvalId: string): DecisionControl {
  const trpc = useTRPC()
  const { client } = useApi()
  const queryClient = useQueryClient()
  const { me, ended, tenant } = useSession()
  const online = useOnline()
  const [machine, dispatch] = useReducer(reduce, me.principal.id, initial)
  const isFirst = useRef(true)
  const reasonField = useRef<HTMLTextAreaElement>(null)
  const [sheetOpen, setSheetOpen] = useState(false)
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set())

  const { data, dataUpdatedAt, error, refetch } = useQuery(
    trpc.approvals.get.queryOptions(
      { approvalId },
      {
        staleTime: 0,
        refetchInterval: machine.phase.is === 'unknown' ? checkMs : false,
        refetchIntervalInBackground: true,
      },
    ),
  )
  useChanges(canStillChange(machine.latest) ? followed : [], pollMs)
  // An answer equal to the last one counts, too: it may mean that the decision was not recorded.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time of the answer is what changes.
  useEffect(() => {
    if (data === undefined) return
    const load = () => dispatch({ type: 'loaded', approval: data })
    // The first time the whole page is drawn, which must not hold up what the person does.
    if (isFirst.current) startTransition(load)
    else load()
    isFirst.current = false
  }, [data, dataUpdatedAt])

  useDraftStorage(`${me.principal.id}.${tenant}.${approvalId}`, machine, dispatch)

  const now = useDeadline(machine)
  const shownDigest = useShownDigest(machine.shown)
  const opening = useOpened(machine.shown)
  const long = useMemo(() => longValues(machine.shown?.presentation.arguments ?? []), [machine.shown])
  const unopened = long.filter((path) => !expanded.has(path)).length
  const conditions: Conditions = { now, online, sessionEnded: ended, unopened, shownDigest }
  const view = viewOf(machine, conditions)
  const whyNot = whyNotSubmit(machine, conditions)

  const left = useRef(false)
  useEffect(() => {
    left.current = false
    return () => {
      left.current = true
    }
  }, [])
  // From the event that asks for it, not from an effect: React applies events again to earlier states while another render is
  // pending, and an effect of the state would send again.
  async function send(attempt: Attempt): Promise<void> {
    const { idempotencyKey, confirms, ...input } = attempt
    const { approvalId: id, payloadDigest } = input
    if (confirms && input.passkey === undefined) {
      input.passkey = await confirmWithPasskey(client, { act: 'approve', approvalId: id, payloadDigest })
      // Who has left the page while the device asked would not see the outcome.
      if (left.current) return
      dispatch({ type: 'confirmed', passkey: input.passkey })
    }
    const context = { idempotencyKey }
    const { auditId, status } = await client.approvals.decide
      .mutate({ ...input, decisionAcknowledged: true }, { context, signal: AbortSignal.timeout(decideTimeoutMs) })
      // After any outcome the request, the lists and the badge may have changed. Reads in progress may predate the change.
      .finally(() => void queryClient.invalidateQueries(trpc.approvals.pathFilter(), { cancelRefetch: true }))
    dispatch({ type: 'answered', auditId, at: new Date().toISOString(), status })
  }
  // State is updated too late for a double click.
  const sending = useRef(false)
  function submit(): void {
    const attempt = whyNot === undefined ? nextAttempt(machine, crypto.randomUUID()) : undefined
    if (attempt === undefined || sending.current) return
    sending.current = true
    dispatch({ type: 'submitted', attempt })
    send(attempt)
      .catch((failure: unknown) => dispatch({ type: 'failed', failure: toFailure(failure), now: Date.now() }))
      .finally(() => {
        sending.current = false
      })
  }

  return {
    machine,
    view,
    whyNot,
    shownDigest,
    opening,
    loadError: error,
    reload: () => void refetch(),
    edit: (draft) => dispatch({ type: 'edited', draft }),
    submit,
    review: () => dispatch({ type: 'reviewed' }),
    reasonField,
    sheet: { open: sheetOpen, setOpen: setSheetOpen },
    expanded,
    expand: (path) => setExpanded((paths) => new Set([...paths, path])),
  }
}

const followed = ['approvals', 'seals'] as const
