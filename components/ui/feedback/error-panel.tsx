import { type ReactNode, useId } from 'react'
import * as t from '#components/texts/ui/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { Glyph } from '#components/ui/status/glyph.tsx'

type ErrorPanelProps = {
  /** What happened, in a sentence: "The approvals could not be loaded." */
  title: string
  /** Whether anything changed: "Nothing was changed." or what is known about the outcome. */
  effect: ReactNode
  /** The next step. */
  advice: ReactNode
  /** From the response, for support. Undefined without a response. */
  requestId?: string | undefined
  /** A retry, where trying again is safe. */
  action?: ReactNode
}

/** An error inside the panel that it affects. The rest of the page keeps working. */
export function ErrorPanel({ title, effect, advice, requestId, action }: ErrorPanelProps) {
  const titleId = useId()
  return (
    <section
      role="alert"
      aria-labelledby={titleId}
      className="flex flex-col items-start gap-2 border-danger border-l-3 bg-danger-soft px-3 py-2.5"
    >
      <p id={titleId} className="flex items-start gap-2 font-semibold">
        <Glyph className="mt-0.5 text-danger">
          <path d="M8 2.25 14.25 13.5H1.75z" />
          <path d="M8 6.5v3m0 1.9v.1" />
        </Glyph>
        {title}
      </p>
      <p>
        {effect} {advice}
      </p>
      {action}
      {requestId && (
        <p className="flex flex-wrap items-center gap-x-1.5 text-dense text-ink-2">
          {t.request} <Copyable value={requestId} label={t.requestId} />
        </p>
      )}
    </section>
  )
}
