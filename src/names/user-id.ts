/** The user id of the DSO's automation. No token may act or read as this user's party. */
export const dsoUserId = 'dso-automation'

/** The syntax of the user ids that a participant accepts. */
const userIdText = /^[a-zA-Z0-9@^$.!`\-#+'~_|:()]{1,128}$/

export function userIdProblem(userId: string): string | undefined {
  if (userId === dsoUserId) return `The user ${dsoUserId} is the automation of the DSO.`
  return userIdText.test(userId)
    ? undefined
    : "The user has to have 1 to 128 letters from a to z, digits, and the characters @^$.!`-#+'~_|:()."
}
