'use client'

import { permissionText, roleName } from '#components/access/permission-texts.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/settings-me/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { type Permission, permissionsOf, rolesWith } from '#lib/permissions.ts'

type Row = { permission: Permission; through: string }

/** Lists each permission of the signed-in person, what it allows, and the role that grants it. */
export function Permissions() {
  const { me, can } = useSession()
  const { roles } = me.principal
  const rows: Row[] = [...permissionsOf(roles)].filter(can).map((permission) => ({
    permission,
    through: rolesWith(permission)
      .filter((role) => roles.includes(role))
      .map(roleName)
      .join(', '),
  }))
  if (rows.length === 0) return <EmptyState title={t.youDontHaveAny}>{t.askTenantAdministratorFor}</EmptyState>
  return <DataTable dense caption={t.permissions} columns={COLUMNS} rows={rows} rowKey={(row) => row.permission} />
}

const COLUMNS: Column<Row>[] = [
  {
    key: 'text',
    header: t.youCan,
    rowHeader: true,
    cell: (row) => permissionText[row.permission],
  },
  {
    key: 'permission',
    header: t.permission,
    cell: (row) => <code className="font-mono text-dense">{row.permission}</code>,
  },
  { key: 'through', header: t.grantedByRole, cell: (row) => row.through },
]
