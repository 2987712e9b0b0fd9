import { text } from '#components/language/text.ts'

// Roles by name, and as the people who have them: “only a developer or an operator”.

export const named = text(
  '{role, select, viewer {Viewer} developer {Developer} operator {Operator} approver {Approver} auditor {Auditor} privacy_officer {Privacy officer} tenant_admin {Tenant admin} decisions_read {Decisions read} decisions_write {Decisions write} traces_write {Traces write} evidence_read {Evidence read} other {{role}}}',
)
export const people = text(
  '{role, select, viewer {a viewer} developer {a developer} operator {an operator} approver {an approver} auditor {an auditor} privacy_officer {a privacy officer} tenant_admin {a tenant administrator} decisions_read {a decisions:read} decisions_write {a decisions:write} traces_write {a traces:write} evidence_read {an evidence:read} other {{role}}}',
)
