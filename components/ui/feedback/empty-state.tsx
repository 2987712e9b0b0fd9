import type { ReactNode } from 'react'

type EmptyStateProps = {
  /** Why it is empty: "No approvals need you." */
  title: string
  /** What would fill it. */
  children: ReactNode
  /** One next step. */
  action?: ReactNode
}

/** A list or panel without content, which is not an error. */
export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-start gap-2 border-line border-y py-6">
      <p className="font-semibold">{title}</p>
      <div className="max-w-[75ch] text-ink-2">{children}</div>
      {action}
    </div>
  )
}
