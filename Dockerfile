# One image for all four processes and the commands; docker-compose.yml says which one a container runs.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim
FROM ${NODE_IMAGE}
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json .npmrc ./
# Production dependencies only: the local stack's engines are devDependencies.
RUN npm ci --omit=dev && npm cache clean --force
COPY . .
# The code is root's and read-only to the process, which keeps nothing on its own disk.
RUN install -d -o node -g node /backups
USER node
EXPOSE 8080
CMD ["node", "ingest/main.ts"]
