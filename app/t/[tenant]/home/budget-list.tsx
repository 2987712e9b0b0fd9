'use client'

import Link from 'next/link'
import { formatMoney, formatNumber } from '#components/language/formats.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { Section } from '#components/page/section.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/home/en.ts'
import { classNames } from '#components/ui/text/class-names.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { policyPath } from '#lib/paths.ts'
import type { HomeFigures } from '#lib/schemas/home/overview.ts'
import { useFigures } from './use-home.ts'

type Budget = NonNullable<HomeFigures['budgets']>[number]

/** From here on a budget is marked. */
const tight = 0.9

/** The budgets of which the least is left. Absent without a budget in use. */
export function BudgetList() {
  const { tenant } = useSession()
  const { data } = useFigures()
  const budgets = data?.budgets ?? []
  if (budgets.length === 0) return null
  return (
    <Section title={t.budgets}>
      <ul className="border-line border-t">
        {budgets.map((budget) => (
          <li key={budget.id} className="flex flex-col gap-1 border-line border-b py-2">
            <span className="flex flex-wrap items-baseline justify-between gap-x-3">
              <Link href={policyPath(tenant, budget.policyId)} prefetch={false} className="text-link wrap-anywhere">
                <ShownText>{budget.rule}</ShownText>
              </Link>
              <span className="whitespace-nowrap">
                {t.ofLimit({
                  used: (content) => (
                    <span className={classNames('font-semibold', shareOf(budget) >= tight && 'text-danger')}>
                      {content}
                    </span>
                  ),
                  grey: (content) => <span className="text-ink-2">{content}</span>,
                  amount: amount(budget.used, budget.unit),
                  limit: amount(budget.limit, budget.unit),
                })}
              </span>
            </span>
            <Bar share={shareOf(budget)} />
            <span className="text-dense text-ink-2">
              {t.budgetOf({
                agent: budget.agentName ?? t.allAgents,
                shown: shownText,
                at: () => <Time at={budget.endsAt} show="clock" />,
              })}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

const shareOf = ({ used, limit }: Budget): number =>
  Number(limit) === 0 ? 1 : Math.min(1, Number(used) / Number(limit))

const amount = (value: string, unit: string): string => {
  const rounded = Number(value).toFixed(2)
  return formatMoney(rounded, unit) ?? `${formatNumber(Number(value))} ${unit}`
}

function Bar({ share }: { share: number }) {
  return (
    <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" className="h-1 w-full">
      <rect width="100" height="4" className="fill-selected" />
      <rect width={share * 100} height="4" className={share >= tight ? 'fill-danger' : 'fill-info'} />
    </svg>
  )
}
