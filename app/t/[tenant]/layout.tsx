import type { ReactNode } from 'react'
import { placeholder } from '#lib/paths.ts'
import { TenantFrame } from './tenant-frame.tsx'

/** One shell for all tenants: server/shell.ts writes the tenant of the address in place of the placeholder. */
export function generateStaticParams() {
  return [{ tenant: placeholder('tenant') }]
}

export default function TenantLayout({ children }: { children: ReactNode }) {
  return <TenantFrame>{children}</TenantFrame>
}
