/** Why a mail did not arrive, for people; the server's own words, but for what an operator can mend. */
export const mailErrorText = (error: string): string =>
  error === 'not configured' ? 'Mail is not set up on this server (SMTP_URL).' : error
