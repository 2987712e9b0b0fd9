import { Time } from '#components/ui/text/time.tsx'
import type { ServiceAccount } from '#lib/schemas/service-accounts.ts'

/** The secrets that an account can sign in with now, oldest first, and when each expires. */
export function LiveSecrets({ secrets }: { secrets: ServiceAccount['secrets'] }) {
  if (secrets.length === 0) return <span>None</span>
  return (
    <ul className="flex flex-col gap-0.5">
      {secrets.map((secret) => (
        <li key={secret.id}>
          Created <Time at={secret.createdAt} show="relative" />,{' '}
          {secret.notAfter === null ? (
            'doesn’t expire'
          ) : (
            <>
              expires <Time at={secret.notAfter} show="relative" />
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
