/** Untrusted text on one line, which it can't leave. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')

/** What mail programs show as the sender of a mail from an organisation. */
export const senderName = ({ displayName }: { displayName: string }): string => `${oneLine(displayName)} (Countersign)`
