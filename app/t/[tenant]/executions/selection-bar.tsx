'use client'

import type { Selection } from '#components/lists/use-selection.ts'
import { whoCan } from '#components/navigation/action-link.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/executions/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import type { ExecutionSummary } from '#lib/schemas/executions.ts'
import { whyNotTogether } from './cancelable.ts'

type SelectionBarProps = { selection: Selection<ExecutionSummary>; onCancel: () => void }

/** At the foot of the list: how many executions are selected, and what can be done with them. */
export function SelectionBar({ selection, onCancel }: SelectionBarProps) {
  const { can } = useSession()
  const count = selection.rows.length
  if (count === 0) return null
  return (
    <section
      aria-label={t.selectedExecutions}
      className="sticky bottom-0 z-10 flex flex-wrap items-start justify-between gap-3 border-line-strong border-t-2 bg-surface py-3"
    >
      <p role="status" className="py-1.5 font-semibold">
        {t.countSelected({ count })}
      </p>
      <div className="flex flex-wrap items-start gap-2">
        <Button variant="quiet" onClick={selection.clear}>
          {t.clear}
        </Button>
        <Button
          onClick={onCancel}
          disabledReason={can('execution:cancel') ? whyNotTogether(count) : whoCan('execution:cancel')}
        >
          {t.cancelCount({ count })}
        </Button>
      </div>
    </section>
  )
}
