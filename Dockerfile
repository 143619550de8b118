# The runtime of the build is that of the image, so that what is built is what was tried.
FROM node:26.10.0-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY src ./src
RUN npm run build && npm prune --omit=dev

FROM node:26.10.0-slim
WORKDIR /app
COPY package.json LICENSE ./
COPY config ./config
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/src/ui/assets ./src/ui/assets

# In production the network has to be chosen: NODE_CONFIG_ENV=mainnet, testnet or devnet, or NETWORK.
ENV NODE_ENV=production HTTP_HOST=0.0.0.0 OPERATIONS_HOST=0.0.0.0
EXPOSE 8080 9464
# It writes nothing: the root file system may be read-only, and all capabilities dropped.
USER node

# Whether it runs. Whether it has a roster is /readyz: no restart would bring one.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["node", "-e", \
  "fetch(`http://127.0.0.1:${process.env.OPERATIONS_PORT || 9464}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]

# Why these flags: docs/decisions/0014-flags-of-the-runtime.md
ENTRYPOINT ["node", "--max-semi-space-size=4", "dist/main.js"]
CMD ["serve"]
