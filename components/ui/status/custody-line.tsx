import { type ReactNode, useId } from 'react'
import { classNames } from '#components/ui/text/class-names.ts'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { SealShape, type SealState, sealWord } from './seal.tsx'

/** The sections of a case file, joined by one line from the first seal to the last. */
export function CustodyLine({ children }: { children: ReactNode }) {
  return <div className="flex flex-col">{children}</div>
}

type CustodySectionProps = {
  title: string
  /** A short text next to the heading. */
  note?: ReactNode
  /** The state of its part of the record, if it is sealed separately. */
  seal?: SealState
  /** It is only for acting, and is not printed. */
  onlyOnScreen?: boolean
  children: ReactNode
}

export function CustodySection({ title, note, seal, onlyOnScreen = false, children }: CustodySectionProps) {
  const headingId = useId()
  return (
    <section
      aria-labelledby={headingId}
      className={classNames(
        'group relative grid grid-cols-[1rem_minmax(0,1fr)] gap-x-3 pb-6 last:pb-0 narrow:gap-x-4',
        onlyOnScreen && 'print:hidden',
      )}
    >
      <div className="flex flex-col items-center">
        {seal ? <SealShape state={seal} className="mt-0.5" /> : <Knot />}
        <div className="mt-1 -mb-6 w-px grow bg-line-strong group-last:hidden" />
      </div>
      <div className="flex min-w-0 flex-col gap-2">
        <div className="flex flex-wrap items-baseline gap-x-2">
          <h2 id={headingId}>{title}</h2>
          {note && <span className="text-dense text-ink-2">{note}</span>}
          {seal && <VisuallyHidden>{sealWord(seal)}</VisuallyHidden>}
        </div>
        {children}
      </div>
    </section>
  )
}

/** A part of the line without a seal. A hexagon here would suggest one. */
function Knot() {
  return <span aria-hidden="true" className="mt-1.5 mb-0.5 size-2 shrink-0 rounded-full border-2 border-line-strong" />
}

/** Numbered consequences, ruled. */
export function NumberedLines({ lines }: { lines: { key: string; content: ReactNode }[] }) {
  return (
    <ol className="border-y border-line">
      {lines.map(({ key, content }, index) => (
        <li key={key} className="grid grid-cols-[1.25rem_minmax(0,1fr)] border-line border-t py-1.5 first:border-t-0">
          <span aria-hidden="true" className="text-ink-2">
            {index + 1}
          </span>
          <span>{content}</span>
        </li>
      ))}
    </ol>
  )
}
