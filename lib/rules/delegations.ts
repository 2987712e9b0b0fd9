/** The longest absence, in days. */
export const longestDelegationDays = 92
