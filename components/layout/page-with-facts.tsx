import { type ReactNode, useId } from 'react'

type PageWithFactsProps = {
  /** Title, and what is true of the object at a glance. */
  head: ReactNode
  /** Heading of the facts. */
  title: string
  facts: ReactNode
  children: ReactNode
}

/** A page whose main action and facts are in a column on the right. Below a width of 900 px they follow the head. */
export function PageWithFacts({ head, title, facts, children }: PageWithFactsProps) {
  const id = useId()
  return (
    <div className="flex grow flex-col rail:grid rail:grid-cols-[minmax(0,1fr)_clamp(17.5rem,27vw,21rem)] rail:grid-rows-[auto_1fr]">
      <div className="flex max-w-[57.25rem] flex-col gap-6 px-3 pt-4 pb-6 rail:px-7">{head}</div>
      <section
        aria-labelledby={id}
        className="flex flex-col gap-4 border-line border-y bg-surface px-3 py-4 max-rail:mb-6 rail:col-start-2 rail:row-span-2 rail:row-start-1 rail:border-y-0 rail:border-l rail:px-4.5"
      >
        <h2 id={id}>{title}</h2>
        {facts}
      </section>
      <div className="flex max-w-[57.25rem] flex-col gap-6 px-3 pb-12 rail:px-7">{children}</div>
    </div>
  )
}
