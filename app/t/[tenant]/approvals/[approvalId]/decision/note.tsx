import type { ReactNode } from 'react'
import { Banner } from '#components/ui/feedback/banner.tsx'
import type { Tone } from '#components/ui/status/tone.ts'

type NoteProps = { tone: Tone; title: string; action?: ReactNode; children: ReactNode }

/** A sentence about the decision, and what it means, above the form. */
export function Note({ tone, title, action, children }: NoteProps) {
  return (
    <Banner tone={tone} urgency="none" action={action}>
      <p className="font-semibold">{title}</p>
      <div>{children}</div>
    </Banner>
  )
}
