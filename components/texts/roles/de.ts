import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  named:
    '{role, select, viewer {Lesen} developer {Entwicklung} operator {Betrieb} approver {Freigabe} auditor {Revision} privacy_officer {Datenschutz} tenant_admin {Administration} decisions_read {Entscheidungen lesen} decisions_write {Entscheidungen schreiben} traces_write {Traces schreiben} evidence_read {Nachweise lesen} other {{role}}}',
  people:
    '{role, select, viewer {Lesen} developer {Entwicklung} operator {Betrieb} approver {Freigabe} auditor {Revision} privacy_officer {Datenschutz} tenant_admin {Administration} decisions_read {decisions:read} decisions_write {decisions:write} traces_write {traces:write} evidence_read {evidence:read} other {{role}}}',
}
