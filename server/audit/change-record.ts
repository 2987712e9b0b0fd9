/** The part of a record that names the change. The rest requires the permission to read the log. */
export type ChangeRecord = {
  date: string
  seq: number
  auditId: string
  action: string
  actorId: string
  resourceType: string
  resourceId: string
}
