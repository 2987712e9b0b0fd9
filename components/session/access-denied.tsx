'use client'

import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'
import { Page } from '#components/layout/page.tsx'
import * as t from '#components/texts/denied/en.ts'
import { homePath, signInPath } from '#lib/paths.ts'
import { ownTenant } from './own-tenant.ts'
import type { Identity } from './session.ts'

type AccessDeniedProps = { tenant: string; identity: Identity; lost: string | undefined }

/**
 * Stays on the address and explains it: an address of another tenant must never silently lead to the person's own. One with the short
 * name of the organisation, as people write it at the sign-in, leads to the page with its id.
 */
export function AccessDenied({ tenant, identity, lost }: AccessDeniedProps) {
  // Null without a response; then only the second link is shown.
  const [own, setOwn] = useState<string | null>()
  const router = useRouter()
  const { organisation } = identity
  useEffect(() => {
    const { pathname, search, hash } = window.location
    const show = (id: string) =>
      tenant === organisation
        ? router.replace(pathname.replace(homePath(tenant), homePath(id)) + search + hash)
        : setOwn(id)
    ownTenant().then(show, () => setOwn(null))
  }, [tenant, organisation, router])
  if (tenant === organisation && own === undefined) return null
  return (
    <Page>
      {lost === undefined ? (
        <>
          <h1>{t.denied}</h1>
          <p className="max-w-[75ch]">
            {t.deniedAbout({
              name: identity.name,
              organisation: identity.organisation,
              tenant,
              strong: (content) => <strong>{content}</strong>,
              code: (content) => <code className="font-mono text-dense">{content}</code>,
            })}
          </p>
        </>
      ) : (
        <div role="alert" className="flex flex-col gap-4">
          <h1>{t.lost({ organisation: lost })}</h1>
          <p className="max-w-[75ch]">{t.lostAbout({ organisation: lost })}</p>
        </div>
      )}
      <ul className="flex flex-col gap-2">
        {own != null && (
          <li>
            <Link href={homePath(own)} className="text-link">
              {t.goToOwn}
            </Link>
          </li>
        )}
        <li>
          <Link href={signInPath()} className="text-link">
            {t.signInToOther}
          </Link>
        </li>
      </ul>
    </Page>
  )
}
