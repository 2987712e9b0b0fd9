{{- define "countersign.name" -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "countersign.labels" -}}
app.kubernetes.io/name: countersign
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* One pod of the roles "web" or "worker". */}}
{{- define "countersign.pod" -}}
{{- $part := index .root.Values .role -}}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
automountServiceAccountToken: false
terminationGracePeriodSeconds: {{ add .root.Values.drainSeconds .root.Values.noticeSeconds 15 }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "countersign.labels" .root | nindent 8 }}
        app.kubernetes.io/component: {{ .role }}
containers:
  - name: countersign
    image: "{{ .root.Values.image.repository }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}"
    imagePullPolicy: {{ .root.Values.image.pullPolicy }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: { drop: [ALL] }
    ports:
      - { name: http, containerPort: 3000 }
    envFrom:
      - secretRef: { name: {{ .root.Values.existingSecret | quote }} }
    env:
      - { name: ROLES, value: {{ .role }} }
      - { name: BASE_URL, value: {{ .root.Values.baseUrl | quote }} }
      - { name: DATA_DIR, value: /data }
      - { name: EXPORT_TMP_DIR, value: /scratch }
      - { name: SEED_DEMO, value: "false" }
      - { name: DRAIN_SECONDS, value: {{ .root.Values.drainSeconds | quote }} }
      {{- range $name, $value := .root.Values.settings }}
      {{- if $value }}
      - { name: {{ $name }}, value: {{ $value | quote }} }
      {{- end }}
      {{- end }}
    # A migration may take long: the process is live and not ready while it runs.
    livenessProbe:
      httpGet: { path: /v1/health/live, port: http }
      periodSeconds: 10
      failureThreshold: 6
    readinessProbe:
      httpGet: { path: /v1/health/ready, port: http }
      periodSeconds: 2
      failureThreshold: 2
    lifecycle:
      preStop:
        exec: { command: [node, -e, "setTimeout(() => {}, {{ mul .root.Values.noticeSeconds 1000 }})"] }
    resources: {{ toYaml $part.resources | nindent 6 }}
    volumeMounts:
      - { name: data, mountPath: /data }
      - { name: scratch, mountPath: /scratch }
      - { name: tmp, mountPath: /tmp }
volumes:
  - name: data
    {{- if .root.Values.dataClaim }}
    persistentVolumeClaim: { claimName: {{ .root.Values.dataClaim | quote }} }
    {{- else }}
    emptyDir: {}
    {{- end }}
  - name: scratch
    emptyDir: { sizeLimit: {{ .root.Values.scratchSize }} }
  - name: tmp
    emptyDir: {}
{{- end }}
