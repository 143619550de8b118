import { defineConfig } from 'vitest/config'

/** What starts Sentinels and a Cluster, and waits for them: `npm run test:redis`. */
export default defineConfig({ test: { include: ['test/cache/**/*.long.ts'], reporters: ['verbose'] } })
