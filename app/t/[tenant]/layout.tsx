import type { ReactNode } from 'react'
import { placeholder } from '#lib/paths.ts'
import { TenantFrame } from './tenant-frame.tsx'

/** One shell serves all tenants: server/shell.ts replaces the placeholder with the tenant in the address. */
export function generateStaticParams() {
  return [{ tenant: placeholder('tenant') }]
}

export default function TenantLayout({ children }: { children: ReactNode }) {
  return <TenantFrame>{children}</TenantFrame>
}
