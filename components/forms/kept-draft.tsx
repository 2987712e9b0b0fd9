'use client'

import { type ReactNode, useState } from 'react'
import { type ActRun, isUnknown } from '#components/api/use-act.ts'
import { useSession } from '#components/session/session-provider.tsx'
import { useStoredText } from '#components/session/use-stored-text.ts'
import * as t from '#components/texts/forms/en.ts'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { toFailure } from '#lib/trpc.ts'
import { draftIn, isChanged, type Texts } from './draft.ts'

/** The texts of a form, which outlive a reload and another page until they are sent. */
export type Kept<T extends Texts> = {
  draft: T
  change: (next: Partial<T>) => void
  /** The draft is from an earlier visit to the page. */
  restored: boolean
  startOver: () => void
  /**
   * Sends the draft, which is then no longer kept, also if the person leaves the page before the answer: an offer to send it again could
   * have its effect twice. After a refusal it is kept again.
   */
  sending: <Input, Output>(send: Send<Input, Output>) => Send<Input, Output>
}

type Send<Input, Output> = (input: Input, options: ActRun) => Promise<Output>

type KeptDraftProps<T extends Texts> = {
  /** Names the form and what it starts from, so that a draft never replaces a different start. */
  form: string
  initial: T
  children: (kept: Kept<T>) => ReactNode
}

/** A form whose draft is kept in this browser, per person and organisation. It appears when the kept draft was read. */
export function KeptDraft<T extends Texts>(props: KeptDraftProps<T>) {
  return <OneDraft key={props.form} {...props} />
}

function OneDraft<T extends Texts>({ form, initial, children }: KeptDraftProps<T>) {
  const { me, tenant } = useSession()
  const [first] = useState(initial)
  const [draft, setDraft] = useState(first)
  const [isSent, setIsSent] = useState(false)
  // Undefined until it is known.
  const [restored, setRestored] = useState<boolean>()
  useStoredText(
    `draft.${me.principal.id}.${tenant}.${form}`,
    isChanged(draft, first) && !isSent ? JSON.stringify(draft) : undefined,
    (stored) => {
      const found = draftIn(stored, first)
      setDraft(found ?? first)
      setRestored(found !== undefined)
    },
  )
  if (restored === undefined) return <Skeleton label={t.loadingForm} rows={10} />
  return children({
    draft,
    change(next) {
      setIsSent(false)
      setDraft((before) => ({ ...before, ...next }))
    },
    restored,
    startOver() {
      setRestored(false)
      setDraft(first)
    },
    sending: (send) => async (input, options) => {
      setIsSent(true)
      try {
        const output = await send(input, options)
        setRestored(false)
        return output
      } catch (error) {
        if (!isUnknown(toFailure(error))) setIsSent(false)
        throw error
      }
    },
  })
}
