import { type ReactNode, useId } from 'react'

type DecisionLayoutProps = {
  /** The case: header and sections, at most 860 px wide. */
  children: ReactNode
  /** Heading of the rail: "Decide", afterwards "Decided". */
  railTitle: string
  rail: ReactNode
}

/** The case on the left and the decision on the right, always visible. Below a width of 900 px the decision follows the case. */
export function DecisionLayout({ children, railTitle, rail }: DecisionLayoutProps) {
  const headingId = useId()
  return (
    <div className="flex grow flex-col rail:grid rail:grid-cols-[minmax(0,1fr)_clamp(17.5rem,27vw,23.25rem)]">
      <div className="flex max-w-[57.25rem] flex-col gap-5 px-3 pt-4 pb-12 rail:px-7">{children}</div>
      <section
        aria-labelledby={headingId}
        className="border-line border-t bg-surface rail:border-t-0 rail:border-l print:hidden"
      >
        <div className="flex flex-col gap-4 px-3 py-4 rail:sticky rail:top-13 rail:max-h-[calc(100dvh-3.25rem)] rail:overflow-y-auto rail:px-4.5">
          <h2 id={headingId}>{railTitle}</h2>
          {rail}
        </div>
      </section>
    </div>
  )
}
