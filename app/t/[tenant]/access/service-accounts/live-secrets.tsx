import * as t from '#components/texts/access-machines/en.ts'
import { Time } from '#components/ui/text/time.tsx'
import type { ServiceAccount } from '#lib/schemas/service-accounts.ts'

/** The secrets that an account can sign in with now, oldest first, and when each expires. */
export function LiveSecrets({ secrets }: { secrets: ServiceAccount['secrets'] }) {
  if (secrets.length === 0) return <span>{t.none}</span>
  return (
    <ul className="flex flex-col gap-0.5">
      {secrets.map(({ id, createdAt, notAfter }) => (
        <li key={id}>
          {notAfter === null
            ? t.doesntExpire({ at: () => <Time at={createdAt} show="relative" /> })
            : t.expiresTime({
                at: () => <Time at={createdAt} show="relative" />,
                end: () => <Time at={notAfter} show="relative" />,
              })}
        </li>
      ))}
    </ul>
  )
}
