import Link from 'next/link'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/policy/en.ts'
import { classNames } from '#components/ui/text/class-names.ts'
import { newPolicyPath } from '#lib/paths.ts'
import { templates } from '#lib/policy-gallery/templates.ts'

const EMPTY = {
  key: undefined,
  title: t.everyCall,
  use: t.everyToolCallWaits,
}

const entries = [
  EMPTY,
  ...templates.map(({ key }) => {
    // The case of a message can't have a hyphen.
    const about = { key: key.replaceAll('-', '_') }
    return { key, title: t.templateTitle(about), use: t.templateUse(about) }
  }),
]

/** The policies to start from. The address names the chosen one. */
export function Gallery({ chosen }: { chosen: string | undefined }) {
  const { tenant } = useSession()
  return (
    <nav aria-label={t.policiesToStartFrom}>
      <ul className="grid grid-cols-1 border-line border-r border-b narrow:grid-cols-2 wide:grid-cols-4">
        {entries.map(({ key, title, use }) => (
          <li key={title} className="border-line border-t border-l bg-surface">
            <Link
              href={newPolicyPath(tenant, key === undefined ? {} : { start: key })}
              scroll={false}
              aria-current={key === chosen ? 'true' : undefined}
              className={classNames(
                'flex h-full flex-col gap-1 border-l-3 px-3 py-2.5 -outline-offset-2 hover:bg-selected',
                key === chosen ? 'border-l-primary bg-selected' : 'border-l-transparent',
              )}
            >
              <span className="font-semibold">{title}</span>
              <span className="text-dense text-ink-2">{use}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
