import { Tag } from '#components/ui/status/tag.tsx'
import { dangersOf, settingName } from '#lib/rules/settings.ts'
import type { TenantSettings } from '#lib/schemas/tenants.ts'

/** The rules in effect that are less safe than those of a new organisation. Nothing if there are none. */
export function Dangers({ settings }: { settings: TenantSettings }) {
  const dangers = dangersOf(settings)
  if (dangers.length === 0) return null
  return (
    <section
      aria-label="Less safe than a new organisation"
      className="mb-3 flex flex-col gap-2 border-danger border-l-3 bg-danger-soft px-3 py-2"
    >
      <p className="font-semibold text-danger">
        {dangers.length === 1 ? 'One rule is' : `${dangers.length} rules are`} less safe than in a new organisation:
      </p>
      <ul className="flex flex-col gap-2">
        {dangers.map(({ name, effect }) => (
          <li key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Tag tone="danger">{settingName[name]}</Tag>
            <span>{effect}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
